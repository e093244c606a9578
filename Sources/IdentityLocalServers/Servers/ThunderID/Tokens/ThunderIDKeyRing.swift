import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// The algorithm of the server's signatures. The server publishes keys of both algorithms, but signs only with this one.
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        /// RSA with SHA-256, the default of a new server.
        case rs256 = "RS256"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"

        var curve: SigningCurve? { self == .es256 ? .p256 : nil }
    }
}

/// The server's keys. The newest key of the configured algorithm signs. A key of the other algorithm never signs and is only
/// published, because real servers publish unused keys too. A client must therefore select the key by its `kid`.
struct ThunderIDKeyRing: Sendable {
    struct Saved: Codable, Sendable {
        fileprivate let signing: KeyRing.Saved
        fileprivate let decoy: KeyRing.Saved
    }

    let signing: KeyRing
    private let decoy: KeyRing
    private let algorithm: LocalThunderIDServer.SigningAlgorithm

    /// - Parameter saved: the keys of an earlier run, ignored if the algorithm has changed since; `nil` to make new keys.
    /// - Throws: an error if a saved key is malformed, or if a key or its certificate cannot be made.
    init(_ algorithm: LocalThunderIDServer.SigningAlgorithm, restoring saved: Saved? = nil, time: TimeSource) throws {
        func ring(_ algorithm: LocalThunderIDServer.SigningAlgorithm, _ saved: KeyRing.Saved?) throws -> KeyRing {
            try KeyRing(algorithm.rawValue, on: algorithm.curve, restoring: saved) { pair in
                let certificate = try SelfSignedCertificate.make(for: pair, commonName: "signing", at: time.now)
                return PublishedKey(
                    id: TokenSigner.base64URL(sha256(certificate)), pair: pair, certificate: certificate)
            }
        }
        self.algorithm = algorithm
        signing = try ring(algorithm, saved?.signing)
        decoy = try ring(algorithm == .rs256 ? .es256 : .rs256, saved?.decoy)
    }

    var saved: Saved { get throws { Saved(signing: try signing.saved, decoy: try decoy.saved) } }

    /// Returns a JWT with `claims`, signed with the newest key.
    func sign(_ claims: [String: JSONValue], typ: String) throws -> String {
        try signing.newest().signer.sign(claims, typ: typ)
    }

    /// Returns the header and the claims of `token`; `nil` unless the signing key that its `kid` names verifies the signature.
    func verify(_ token: String) -> (header: JSONValue, claims: JSONValue)? {
        for key in signing.keys {
            if let verified = key.signer.verify(token), verified.header["kid"]?.stringValue == key.id {
                return verified
            }
        }
        return nil
    }

    /// The JWK set (RFC 7517 section 5). RSA keys precede P-256 keys, regardless of the algorithm that signs.
    var keySet: JSONValue {
        let keys = (algorithm == .rs256 ? [signing, decoy] : [decoy, signing]).flatMap(\.keys)
        return ["keys": .array(keys.map(Self.certified))]
    }

    private static func certified(_ key: PublishedKey) -> JSONValue {
        let members = key.signer.publicJWK?.objectValue ?? [:]
        guard let certificate = key.certificate else { return .object(members) }
        return .object(
            members.merging([
                "x5c": [.string(certificate.base64EncodedString())],
                "x5t": .string(TokenSigner.base64URL(sha1(certificate))), "x5t#S256": .string(key.id),
            ]) { $1 })
    }
}
