import Foundation
import IdentityKit

@testable import IdentityOAuth

/// Key sets as servers publish them, and private keys as applications import them: the JSON document.
enum Keys {
    /// A signed message to look for a key for.
    private static let message = made {
        try JSONWebSignature(
            compact: "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.e30." + Base64URL.encode([UInt8](repeating: 7, count: 64)))
    }

    @Sendable static func read(_ input: FuzzInput) {
        guard let members = try? StrictJSON.parseObject(input.data) else { return }
        do {
            let keys = try JSONWebKeySet(members: members)
            for key in keys.keys { try examine(key) }
            for algorithm in [SigningAlgorithm.es256, .rs256, .edDSA] { _ = try? keys.key(for: algorithm, keyID: "1") }
            try SignatureVerifier().verify(message, with: keys)
        } catch {
            error.tell()
        }
        if let key = try? JSONWebKey(members: members) { try? examine(key) }
        if members["d"] != nil, members["kty"] != "RSA", let key = try? SigningKey(jwk: Secret(input.text)),
            key.publicKey.canVerify(key.algorithm)
        {
            let token = made { try key.token(claims: ["sub": "alice"]) }
            let keys = JSONWebKeySet([key.publicKey])
            _ = made { try SignatureVerifier().verify(JSONWebToken(token).message, with: keys) }
            rule(key.publicKey.members["d"] == nil, "a private number was published")
        }
    }

    private static func examine(_ key: JSONWebKey) throws {
        rule(key.thumbprint.utf8.count == 43, "a thumbprint is no SHA-256")
        rule(key.members["d"] == nil, "a private number was kept")
        rule(try JSONWebKey(members: key.members) == key, "a key is another when it is read again")
    }
}
