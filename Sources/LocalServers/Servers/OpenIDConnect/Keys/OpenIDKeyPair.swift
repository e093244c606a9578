import Foundation
import IdentityKit

/// A key pair of the kind one signature algorithm needs.
enum OpenIDKeyPair: Sendable {
    case rsa(RSASigningKey)
    case curve(CurvePrivateKey)

    /// Making an RSA key is slow, so the servers of one process share their first two; each gives them other names.
    private static let firstRSAKey = Result { try RSASigningKey() }
    private static let secondRSAKey = Result { try RSASigningKey() }

    /// The first key pair of a server.
    static func first(for algorithm: LocalOpenIDConnectServer.SigningAlgorithm) throws -> OpenIDKeyPair {
        try algorithm.curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(firstRSAKey.get())
    }

    /// A key pair that is not the server's first.
    static func second(for algorithm: LocalOpenIDConnectServer.SigningAlgorithm) throws -> OpenIDKeyPair {
        try algorithm.curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(secondRSAKey.get())
    }

    /// A key pair nobody has had before.
    static func fresh(for algorithm: LocalOpenIDConnectServer.SigningAlgorithm) throws -> OpenIDKeyPair {
        try algorithm.curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(RSASigningKey())
    }

    /// A key pair of an earlier start.
    /// - Throws: when it is malformed.
    init(_ saved: SavedKey) throws {
        if let key = try saved.rsaKey() {
            self = .rsa(key)
        } else if let key = try saved.curveKey() {
            self = .curve(key)
        } else {
            throw SavedKey.unknown
        }
    }

    /// The key pair, to be saved.
    var saved: SavedKey {
        get throws {
            switch self {
            case .rsa(let key): try SavedKey(key)
            case .curve(let key): SavedKey(key)
            }
        }
    }

    /// The JWS signature over `bytes`.
    func signature(
        over bytes: Data, algorithm: LocalOpenIDConnectServer.SigningAlgorithm
    ) throws -> Data {
        switch self {
        case .rsa(let key): try key.signature(over: bytes, padding: algorithm.padding, hash: algorithm.hash)
        case .curve(let key): try key.signature(over: bytes)
        }
    }

    /// The members of the public JWK that are the key itself (RFC 7518 section 6, RFC 8037 section 2).
    var publicMembers: [String: JSONValue] {
        switch self {
        case .rsa(let key):
            return [
                "kty": "RSA", "n": .string(TokenSigner.base64URL(key.modulus)),
                "e": .string(TokenSigner.base64URL(key.exponent)),
            ]
        case .curve(.ed25519(let key)):
            return [
                "kty": "OKP", "crv": "Ed25519",
                "x": .string(TokenSigner.base64URL(key.publicKey.rawRepresentation)),
            ]
        case .curve(let key):
            let point = key.publicKey.point
            return [
                "kty": "EC", "crv": .string(key.curveName),
                "x": .string(TokenSigner.base64URL(Data(point.prefix(point.count / 2)))),
                "y": .string(TokenSigner.base64URL(Data(point.suffix(point.count / 2)))),
            ]
        }
    }
}

extension CurvePrivateKey {
    /// `crv` (RFC 7518 section 6.2.1.1, RFC 8037 section 2).
    fileprivate var curveName: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .ed25519: "Ed25519"
        }
    }
}

extension LocalOpenIDConnectServer.SigningAlgorithm {
    /// The curve of the algorithm's keys; `nil` for RSA.
    var curve: SigningCurve? {
        switch self {
        case .es256: .p256
        case .es384: .p384
        case .es512: .p521
        case .edDSA: .ed25519
        default: nil
        }
    }

    /// How RSA pads; the others do not ask.
    var padding: RSAPadding { rawValue.hasPrefix("PS") ? .pss : .pkcs1 }

    /// The hash of the algorithm, which is also that of `at_hash` (OpenID Connect Core section 3.1.3.6).
    var hash: HashAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA: .sha512
        }
    }
}
