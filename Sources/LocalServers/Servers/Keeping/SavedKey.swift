import Foundation
import IdentityKit

/// A private key as it is saved.
struct SavedKey: Codable, Sendable, Equatable {
    /// `RSA`, or the name of a curve.
    let type: String
    /// PKCS #1 for RSA (RFC 8017 appendix A.1.2), otherwise the private number.
    let content: Data

    private static let rsa = "RSA"

    init(_ key: RSASigningKey) throws {
        (type, content) = (Self.rsa, try key.pkcs1)
    }

    init(_ key: CurvePrivateKey) {
        (type, content) = (key.curve.rawName, key.scalar)
    }

    /// The key, when it is one of RSA.
    /// - Throws: when it is malformed.
    func rsaKey() throws -> RSASigningKey? {
        type == Self.rsa ? try RSASigningKey(pkcs1: content) : nil
    }

    /// The key, when it is one of a curve.
    /// - Throws: when it is malformed.
    func curveKey() throws -> CurvePrivateKey? {
        try SigningCurve.allCases.first { $0.rawName == type }.map { try CurvePrivateKey($0, scalar: content) }
    }

    /// A key with the identifier under which it is published.
    struct Published: Codable, Sendable {
        let id: String
        let key: SavedKey
    }

    /// What a key that is none of those comes to.
    static let unknown = CryptographyError("the saved key has a type nobody knows")
}

extension SigningCurve {
    /// The name under which a key is saved.
    fileprivate var rawName: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .ed25519: "Ed25519"
        }
    }
}

extension CurvePrivateKey {
    fileprivate var curve: SigningCurve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .ed25519: .ed25519
        }
    }
}
