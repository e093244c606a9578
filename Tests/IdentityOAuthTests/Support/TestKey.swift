import Foundation
import IdentityKit
import IdentityOAuth

/// A server's key pair in a test.
struct TestKey: Sendable {
    enum Pair: Sendable {
        case rsa(RSASigningKey)
        case curve(CurvePrivateKey)
    }

    let pair: Pair
    let algorithm: SigningAlgorithm
    var keyID: String?

    /// A key pair for `algorithm`; all RSA keys of a test run are one, because making one is slow.
    init(_ algorithm: SigningAlgorithm, keyID: String? = "k1") throws {
        self.algorithm = algorithm
        self.keyID = keyID
        switch algorithm {
        case .es256: pair = .curve(CurvePrivateKey(.p256))
        case .es384: pair = .curve(CurvePrivateKey(.p384))
        case .es512: pair = .curve(CurvePrivateKey(.p521))
        case .edDSA, .ed25519: pair = .curve(CurvePrivateKey(.ed25519))
        default: pair = .rsa(try Self.sharedRSA.get())
        }
    }

    private static let sharedRSA = Result { try RSASigningKey() }

    /// The public key without `alg`, `use` and `kid`.
    var bareJWK: [String: JSONValue] {
        switch pair {
        case .rsa(let key):
            return [
                "kty": "RSA", "n": .string(Base64URL.encode(key.modulus)), "e": .string(Base64URL.encode(key.exponent)),
            ]
        case .curve(let key):
            let point = key.publicKey.point
            guard algorithm != .edDSA, algorithm != .ed25519 else {
                return ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(point))]
            }
            let names: [SigningAlgorithm: JSONValue] = [.es256: "P-256", .es384: "P-384", .es512: "P-521"]
            return [
                "kty": "EC", "crv": names[algorithm] ?? .null,
                "x": .string(Base64URL.encode(point.prefix(point.count / 2))),
                "y": .string(Base64URL.encode(point.suffix(point.count / 2))),
            ]
        }
    }

    /// The public key as servers publish it.
    var jwk: [String: JSONValue] {
        var members = bareJWK
        members["use"] = "sig"
        members["alg"] = .string(algorithm.rawValue)
        members["kid"] = keyID.map(JSONValue.string)
        return members
    }

    var keySet: JSONWebKeySet {
        get throws { JSONWebKeySet([try JSONWebKey(members: jwk)]) }
    }

    /// A token with `claims`; `header` is merged over `alg` and `kid`, and a `null` removes a member.
    func sign(_ claims: [String: JSONValue], header: [String: JSONValue] = [:]) throws -> Secret {
        var fields: [String: JSONValue] = ["alg": .string(algorithm.rawValue)]
        fields["kid"] = keyID.map(JSONValue.string)
        fields.merge(header) { _, new in new }
        let parts = try [fields, claims].map { members in
            Base64URL.encode(try JSONEncoder().encode(JSONValue.object(members.filter { $0.value != .null })))
        }
        let signingInput = parts.joined(separator: ".")
        return Secret(signingInput + "." + Base64URL.encode(try signature(over: Data(signingInput.utf8))))
    }

    func signature(over bytes: Data) throws -> Data {
        switch pair {
        case .curve(let key): return try key.signature(over: bytes)
        case .rsa(let key):
            let padding: RSAPadding = algorithm.rawValue.hasPrefix("P") ? .pss : .pkcs1
            let hashes: [Substring: HashAlgorithm] = ["256": .sha256, "384": .sha384, "512": .sha512]
            return try key.signature(
                over: bytes, padding: padding, hash: hashes[algorithm.rawValue.suffix(3)] ?? .sha256)
        }
    }
}
