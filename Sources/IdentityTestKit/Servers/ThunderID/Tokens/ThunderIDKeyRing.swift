#if Tools
import Foundation
import IdentityKit

/// The server's keys: one that signs, earlier ones that still verify, and one of another kind that is published and
/// signs nothing, as a real deployment has, so that a client must pick by `kid`.
final class ThunderIDKeyRing: Sendable {
    private struct Key: Sendable {
        let signer: TokenSigner
        let jwk: JSONValue
    }

    /// Newest first.
    private let keys: Locked<[Key]>
    private let time: TimeSource

    /// The first key pair of every server in this process, because making one is slow. Each server certifies it anew,
    /// so it has another `kid` in each and their tokens do not pass for one another's.
    private static let firstKeyPair = Result { try RSASigningKey() }

    init(time: TimeSource) throws {
        self.time = time
        keys = Locked([try Self.certify(Self.firstKeyPair.get(), at: time.now)])
    }

    /// Signs with the newest key.
    func sign(_ claims: [String: JSONValue], typ: String) throws -> String {
        guard let key = keys.withLock({ $0.first }) else { throw ThunderIDFailure.internalError }
        return try key.signer.sign(claims, typ: typ)
    }

    /// Checks the signature of `token` with the key it names.
    func verify(_ token: String) -> (header: JSONValue, claims: JSONValue)? {
        for key in keys.withLock({ $0 }) {
            if let verified = key.signer.verify(token), verified.header["kid"]?.stringValue == key.signer.keyID {
                return verified
            }
        }
        return nil
    }

    /// Makes a new key the one that signs.
    func rotate() throws {
        let key = try Self.certify(RSASigningKey(), at: time.now)
        keys.withLock { $0.insert(key, at: 0) }
    }

    /// The JWK set (RFC 7517 section 5).
    var keySet: JSONValue {
        ["keys": .array(keys.withLock { $0.map(\.jwk) } + [Self.decoy])]
    }

    private static func certify(_ keyPair: RSASigningKey, at date: Date) throws -> Key {
        let certificate = try SelfSignedCertificate.make(for: keyPair, commonName: "signing", at: date)
        let thumbprint = TokenSigner.base64URL(sha256(certificate))
        let signer = TokenSigner(algorithm: .rs256(keyPair), keyID: thumbprint)
        let certified: [String: JSONValue] = [
            "x5c": [.string(certificate.base64EncodedString())],
            "x5t": .string(TokenSigner.base64URL(sha1(certificate))),
            "x5t#S256": .string(thumbprint),
        ]
        return Key(
            signer: signer, jwk: .object((signer.publicJWK?.objectValue ?? [:]).merging(certified) { $1 }))
    }

    /// A P-256 public key; nobody has the private one any more.
    private static let decoy: JSONValue = [
        "kid": "pRYGy5o1nLwxa-YkpteA2dmnGHsUYoGRka2iKjIJl-s",
        "kty": "EC", "use": "sig", "alg": "ES256", "crv": "P-256",
        "x": "CeiDbQlkm-rj8EU0KOp3t12jF58_Ql4AuN6AaJ8GSFo",
        "y": "IYjkeWcTUK--eBAerPN09R1SPKbSm9iaGihx7skDG6I",
        "x5c": [
            .string(
                "MIIBdzCCAR2gAwIBAgIUdYREW8NbEzB9Jt4JIeE6InXE0wswCgYIKoZIzj0EAwIwEDEOMAwGA1UEAwwFZGVjb3kwIBcNMjYx"
                    + "MTIxMDIxMTA1WhgPMjEyNjEwMjgwMjExMDVaMBAxDjAMBgNVBAMMBWRlY295MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD"
                    + "QgAECeiDbQlkm+rj8EU0KOp3t12jF58/Ql4AuN6AaJ8GSFohiOR5ZxNQr754EB6s83T1HVI8ptKb2JoaKHHuyQMboqNT"
                    + "MFEwHQYDVR0OBBYEFKjPVIyCjiJ7eD63Lv6aw7Xz/Oz8MB8GA1UdIwQYMBaAFKjPVIyCjiJ7eD63Lv6aw7Xz/Oz8MA8G"
                    + "A1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgTWNU3nRVy6I8JYBJnxG1w5afxftsmx4OZSUqV7a4JPkCIQDt"
                    + "yu2UNE/bvIVHkJ5QlonnHL0XZe7pFOYOKZG4vH8R6w==")
        ],
        "x5t": "a6tM4I1CBswtOtq1ny9QBLTumQQ",
        "x5t#S256": "pRYGy5o1nLwxa-YkpteA2dmnGHsUYoGRka2iKjIJl-s",
    ]
}
#endif
