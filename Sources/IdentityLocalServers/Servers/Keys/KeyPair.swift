import Foundation
import IdentityKit

enum KeyPair: Sendable {
    case rsa(RSASigningKey)
    case curve(CurvePrivateKey)

    /// The first of two RSA keys that all servers of the process share, because making one is slow. Each server
    /// publishes them under another name, so that it refuses other servers' tokens.
    private static let firstRSAKey = Result { try RSASigningKey() }
    private static let secondRSAKey = Result { try RSASigningKey() }

    static func first(_ curve: SigningCurve? = nil) throws -> KeyPair {
        try curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(firstRSAKey.get())
    }

    /// A key pair that differs from the server's first one.
    static func second(_ curve: SigningCurve? = nil) throws -> KeyPair {
        try curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(secondRSAKey.get())
    }

    /// A key pair that no other server has.
    static func fresh(_ curve: SigningCurve? = nil) throws -> KeyPair {
        try curve.map { .curve(CurvePrivateKey($0)) } ?? .rsa(RSASigningKey())
    }

    /// The curve; `nil` for RSA.
    var curve: SigningCurve? { if case .curve(let key) = self { key.curve } else { nil } }

    /// The JWS signature over `bytes`. Padding and hash apply to RSA; a curve has its own hash.
    func signature(over bytes: Data, padding: RSAPadding = .pkcs1, hash: HashAlgorithm = .sha256) throws -> Data {
        switch self {
        case .rsa(let key): try key.signature(over: bytes, padding: padding, hash: hash)
        case .curve(let key): try key.signature(over: bytes)
        }
    }

    /// The members of the public JWK with the key material (RFC 7518 section 6, RFC 8037 section 2).
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
    /// The key's X.509 certificate, for a server that publishes one.
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
