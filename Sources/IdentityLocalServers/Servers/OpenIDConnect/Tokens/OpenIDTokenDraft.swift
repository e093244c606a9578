import Foundation
import IdentityKit

/// A JWT before it is signed. Misbehaviors can change its header, its claims and the way it is signed.
struct OpenIDTokenDraft: Sendable {
    enum Signature: Sendable {
        case genuine
        /// A signature with one inverted bit.
        case damaged
        case none
        case hmacWithPublicKey
    }

    let key: PublishedKey
    let algorithm: LocalOpenIDConnectServer.SigningAlgorithm
    var header: [String: JSONValue]
    var claims: [String: JSONValue]
    var signature = Signature.genuine
    /// The key pair that signs; by default that of `key`.
    var signer: KeyPair
    /// JSON text before the first member of the header. Unlike the dictionary `header`, the text can repeat a member.
    var headerPrefix = ""
    /// JSON text before the first claim. Unlike the dictionary `claims`, the text can repeat a claim.
    var claimsPrefix = ""

    init(_ claims: [String: JSONValue], ring: OpenIDKeyRing, _ behaviour: OpenIDBehaviour) throws {
        key = try ring.signingKey(behaviour)
        signer = key.pair
        algorithm = ring.algorithm
        header = ["alg": .string(ring.name(behaviour)), "typ": "JWT", "kid": .string(key.id)]
        if behaviour.has(.noKeyID) { header["kid"] = nil }
        self.claims = claims
    }

    /// Signs the token and returns its compact serialization (RFC 7515 section 7.1).
    func compact() throws -> String {
        let input = Self.segment(header, headerPrefix) + "." + Self.segment(claims, claimsPrefix)
        return try input + "." + TokenSigner.base64URL(signature(over: Data(input.utf8)))
    }

    private func signature(over input: Data) throws -> Data {
        switch signature {
        case .genuine:
            return try signer.signature(over: input, padding: algorithm.padding, hash: algorithm.hash)
        case .damaged:
            var signature = try signer.signature(over: input, padding: algorithm.padding, hash: algorithm.hash)
            signature[signature.count / 2] ^= 1
            return signature
        case .none:
            return Data()
        case .hmacWithPublicKey:
            return hmacSHA256(input, key: LocalResponse.json(.object(key.pair.publicMembers)).body)
        }
    }

    private static func segment(_ members: [String: JSONValue], _ prefix: String) -> String {
        let json = LocalResponse.json(.object(members)).body
        return TokenSigner.base64URL(prefix.isEmpty ? json : Data("{\(prefix)".utf8) + json.dropFirst())
    }
}
