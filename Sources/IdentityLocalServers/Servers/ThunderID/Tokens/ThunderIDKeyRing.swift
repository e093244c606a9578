import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// Which of its two keys a server signs with.
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        /// RSA with SHA-256, as a fresh server signs.
        case rs256 = "RS256"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"

        /// The curve of the algorithm's keys; `nil` for RSA.
        var curve: SigningCurve? { self == .es256 ? .p256 : nil }
    }
}

/// The server's keys: one that signs, earlier ones that still verify, and one of the other kind that is published and
/// signs nothing, as a real deployment has, so that a client must pick by `kid`.
final class ThunderIDKeyRing: Sendable {
    private struct Key: Sendable {
        let pair: KeyPair
        let certificate: Data
        let signer: TokenSigner
        let jwk: JSONValue

        init(_ pair: KeyPair, certificate: Data) {
            self.pair = pair
            self.certificate = certificate
            let thumbprint = TokenSigner.base64URL(sha256(certificate))
            signer = PublishedKey(id: thumbprint, pair: pair).signer
            let certified: [String: JSONValue] = [
                "x5c": [.string(certificate.base64EncodedString())],
                "x5t": .string(TokenSigner.base64URL(sha1(certificate))),
                "x5t#S256": .string(thumbprint),
            ]
            jwk = .object((signer.publicJWK?.objectValue ?? [:]).merging(certified) { $1 })
        }
    }

    /// A key with its certificate, whose thumbprint is the key's name.
    fileprivate struct SavedCertifiedKey: Codable, Sendable {
        let key: SavedKey
        let certificate: Data
    }

    struct Saved: Codable, Sendable {
        fileprivate let signing: [SavedCertifiedKey]
        fileprivate let decoy: SavedCertifiedKey
    }

    /// The signing keys, newest first.
    private let keys: Locked<[Key]>
    private let decoy: Key
    private let algorithm: LocalThunderIDServer.SigningAlgorithm
    private let time: TimeSource

    /// - Parameter saved: the keys of an earlier start. They are left alone when they are for another algorithm.
    init(_ algorithm: LocalThunderIDServer.SigningAlgorithm, restoring saved: Saved? = nil, time: TimeSource) throws {
        self.algorithm = algorithm
        self.time = time
        if let saved {
            let signing = try saved.signing.map(Self.key)
            if let newest = signing.first, newest.pair.curve == algorithm.curve {
                keys = Locked(signing)
                decoy = try Self.key(saved.decoy)
                return
            }
        }
        let rsa = try Self.certify(.first(), at: time.now)
        let p256 = try Self.certify(.first(.p256), at: time.now)
        keys = Locked([algorithm == .rs256 ? rsa : p256])
        decoy = algorithm == .rs256 ? p256 : rsa
    }

    /// Signs with the newest key.
    func sign(_ claims: [String: JSONValue], typ: String) throws -> String {
        guard let key = keys.withLock({ $0.first }) else { throw ThunderIDServerError.internalError }
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
        let key = try Self.certify(.fresh(algorithm.curve), at: time.now)
        keys.withLock { $0.insert(key, at: 0) }
    }

    var saved: Saved {
        get throws {
            Saved(signing: try keys.withLock { $0 }.map(Self.saved), decoy: try Self.saved(decoy))
        }
    }

    private static func saved(_ key: Key) throws -> SavedCertifiedKey {
        SavedCertifiedKey(key: try SavedKey(key.pair), certificate: key.certificate)
    }

    private static func key(_ saved: SavedCertifiedKey) throws -> Key {
        Key(try saved.key.pair, certificate: saved.certificate)
    }

    /// The JWK set (RFC 7517 section 5): RSA before P-256, whichever signs.
    var keySet: JSONValue {
        let signing = keys.withLock { $0.map(\.jwk) }
        return ["keys": .array(algorithm == .rs256 ? signing + [decoy.jwk] : [decoy.jwk] + signing)]
    }

    private static func certify(_ pair: KeyPair, at date: Date) throws -> Key {
        Key(pair, certificate: try SelfSignedCertificate.make(for: pair, commonName: "signing", at: date))
    }
}
