#if Tools
import Foundation
import IdentityKit

/// A key of one of the two kinds a deployment has.
enum ThunderIDKeyPair: Sendable {
    case rsa(RSASigningKey)
    case p256(CurvePrivateKey)

    var algorithm: TokenSigner.Algorithm {
        switch self {
        case .rsa(let key): .rs256(key)
        case .p256(let key): .es256(key)
        }
    }
}

extension LocalThunderIDServer {
    /// Which of its two keys a server signs with (contract 2.8, JWKS).
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        /// RSA with SHA-256, as a fresh server signs.
        case rs256 = "RS256"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"
    }
}

/// The server's keys: one that signs, earlier ones that still verify, and one of the other kind that is published and
/// signs nothing, as a real deployment has, so that a client must pick by `kid`.
final class ThunderIDKeyRing: Sendable {
    private struct Key: Sendable {
        let signer: TokenSigner
        let jwk: JSONValue
    }

    /// What signs, newest first.
    private let keys: Locked<[Key]>
    /// What signs nothing.
    private let decoy: Key
    private let algorithm: LocalThunderIDServer.SigningAlgorithm
    private let time: TimeSource

    /// The first RSA key pair of every server in this process, because making one is slow. Each server certifies it anew,
    /// so it has another `kid` in each and their tokens do not pass for one another's.
    private static let firstKeyPair = Result { try RSASigningKey() }

    init(_ algorithm: LocalThunderIDServer.SigningAlgorithm, time: TimeSource) throws {
        self.algorithm = algorithm
        self.time = time
        let rsa = try Self.certify(.rsa(Self.firstKeyPair.get()), at: time.now)
        let p256 = try Self.certify(.p256(CurvePrivateKey(.p256)), at: time.now)
        keys = Locked([algorithm == .rs256 ? rsa : p256])
        decoy = algorithm == .rs256 ? p256 : rsa
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
        let pair: ThunderIDKeyPair =
            switch algorithm {
            case .rs256: .rsa(try RSASigningKey())
            case .es256: .p256(CurvePrivateKey(.p256))
            }
        let key = try Self.certify(pair, at: time.now)
        keys.withLock { $0.insert(key, at: 0) }
    }

    /// The JWK set (RFC 7517 section 5): RSA before P-256, whichever signs.
    var keySet: JSONValue {
        let signing = keys.withLock { $0.map(\.jwk) }
        return ["keys": .array(algorithm == .rs256 ? signing + [decoy.jwk] : [decoy.jwk] + signing)]
    }

    private static func certify(_ pair: ThunderIDKeyPair, at date: Date) throws -> Key {
        let certificate = try SelfSignedCertificate.make(for: pair, commonName: "signing", at: date)
        let thumbprint = TokenSigner.base64URL(sha256(certificate))
        let signer = TokenSigner(algorithm: pair.algorithm, keyID: thumbprint)
        let certified: [String: JSONValue] = [
            "x5c": [.string(certificate.base64EncodedString())],
            "x5t": .string(TokenSigner.base64URL(sha1(certificate))),
            "x5t#S256": .string(thumbprint),
        ]
        return Key(
            signer: signer, jwk: .object((signer.publicJWK?.objectValue ?? [:]).merging(certified) { $1 }))
    }
}
#endif
