import Foundation
import IdentityKit

struct SavedKey: Codable, Sendable, Equatable {
    let type: String
    /// The private key: PKCS #1 for RSA (RFC 8017 appendix A.1.2), the seed for Ed25519, or the scalar for another curve.
    let content: Data

    private static let rsa = "RSA"

    init(_ pair: KeyPair) throws {
        switch pair {
        case .rsa(let key): (type, content) = (Self.rsa, try key.pkcs1)
        case .curve(let key): (type, content) = (key.curve.jwkName, key.scalar)
        }
    }

    /// The key pair from the saved content.
    /// - Throws: ``CryptographyError`` if the type is unknown, or another error if the key is malformed.
    var pair: KeyPair {
        get throws {
            if type == Self.rsa { return .rsa(try RSASigningKey(pkcs1: content)) }
            guard let curve = SigningCurve.allCases.first(where: { $0.jwkName == type }) else {
                throw CryptographyError("the saved key has an unknown type")
            }
            return .curve(try CurvePrivateKey(curve, scalar: content))
        }
    }

    struct Published: Codable, Sendable {
        let id: String
        let key: SavedKey
        let certificate: Data?

        init(_ published: PublishedKey) throws {
            (id, key, certificate) = (published.id, try SavedKey(published.pair), published.certificate)
        }

        var published: PublishedKey {
            get throws { PublishedKey(id: id, pair: try key.pair, certificate: certificate) }
        }
    }
}
