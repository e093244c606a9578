import Foundation
import IdentityKit

extension LocalThunderIDServer {
    /// The algorithm, which selects the one of the server's two keys that signs.
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        /// RSA with SHA-256, the default of a new server.
        case rs256 = "RS256"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"

        /// The curve of the algorithm's keys; `nil` for RSA.
        var curve: SigningCurve? { self == .es256 ? .p256 : nil }
    }
}

/// The server's keys: the signing ones, and one of the other algorithm that is published but unused, as in real
/// deployments, so that clients must select by `kid`.
struct ThunderIDKeyRing: Sendable {
    struct Saved: Codable, Sendable {
        fileprivate let signing: KeyRing.Saved
        fileprivate let decoy: KeyRing.Saved
    }

    let signing: KeyRing
    private let decoy: KeyRing
    private let algorithm: LocalThunderIDServer.SigningAlgorithm

    /// - Parameter saved: the keys of an earlier start.
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

    /// Signs with the newest key.
    func sign(_ claims: [String: JSONValue], typ: String) throws -> String {
        try signing.newest().signer.sign(claims, typ: typ)
    }

    /// Verifies the signature of `token` with the key that it names.
    func verify(_ token: String) -> (header: JSONValue, claims: JSONValue)? {
        for key in signing.keys {
            if let verified = key.signer.verify(token), verified.header["kid"]?.stringValue == key.id {
                return verified
            }
        }
        return nil
    }

    /// The JWK set (RFC 7517 section 5), with RSA before P-256 regardless of which one signs.
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
