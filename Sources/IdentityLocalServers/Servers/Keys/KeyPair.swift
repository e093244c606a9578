import Foundation
import IdentityKit

enum KeyPair: Sendable {
    case rsa(RSASigningKey)
    case curve(CurvePrivateKey)

    /// The first of two RSA keys that all servers of the process share, because generating an RSA key is slow. Each server
    /// publishes the key under a `kid` of its own, so that a server can refuse another server's tokens.
    private static let firstRSAKey = Result { try RSASigningKey() }
    private static let secondRSAKey = Result { try RSASigningKey() }

    static func first(_ curve: SigningCurve? = nil) throws -> KeyPair {
        try curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(firstRSAKey.get())
    }

    /// Returns the second shared RSA key, or a new key on `curve`. Neither equals the key of ``first(_:)``.
    static func second(_ curve: SigningCurve? = nil) throws -> KeyPair {
        try curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(secondRSAKey.get())
    }

    /// Generates a key pair that no other server has.
    static func fresh(_ curve: SigningCurve? = nil) throws -> KeyPair {
        try curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(RSASigningKey())
    }

    /// The curve; `nil` for RSA.
    var curve: SigningCurve? { if case .curve(let key) = self { key.curve } else { nil } }

    /// Returns the JWS signature over `bytes`. Only RSA uses `padding` and `hash`; each curve has a fixed hash.
    func signature(over bytes: Data, padding: RSAPadding = .pkcs1, hash: HashAlgorithm = .sha256) throws -> Data {
        switch self {
        case .rsa(let key): try key.signature(over: bytes, padding: padding, hash: hash)
        case .curve(let key): try key.signature(over: bytes)
        }
    }

    /// The members of the public JWK that describe the key itself: `kty` and its parameters, such as `n` and `e` (RFC 7518
    /// section 6, RFC 8037 section 2).
    var publicMembers: [String: JSONValue] {
        switch self {
        case .rsa(let key):
            return [
                "kty": "RSA", "n": .string(TokenSigner.base64URL(key.modulus)),
                "e": .string(TokenSigner.base64URL(key.exponent)),
            ]
        case .curve(.ed25519(let key)):
            return [
                "kty": "OKP", "crv": .string(SigningCurve.ed25519.jwkName),
                "x": .string(TokenSigner.base64URL(key.publicKey.rawRepresentation)),
            ]
        case .curve(let key):
            let point = key.publicKey.point
            return [
                "kty": "EC", "crv": .string(key.curve.jwkName),
                "x": .string(TokenSigner.base64URL(Data(point.prefix(point.count / 2)))),
                "y": .string(TokenSigner.base64URL(Data(point.suffix(point.count / 2)))),
            ]
        }
    }
}

struct PublishedKey: Sendable {
    var id: String
    let pair: KeyPair
    /// The key's X.509 certificate in DER form; `nil` for a server that publishes no certificates.
    var certificate: Data?

    var signer: TokenSigner { TokenSigner(key: .pair(pair), keyID: id) }
}

extension SigningCurve {
    /// The curve's name in `crv` (RFC 7518 section 6.2.1.1, RFC 8037 section 2).
    var jwkName: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .ed25519: "Ed25519"
        }
    }
}

extension CurvePrivateKey {
    var curve: SigningCurve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .ed25519: .ed25519
        }
    }
}
