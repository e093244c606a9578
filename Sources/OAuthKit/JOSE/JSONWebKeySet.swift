import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server's public signing keys (RFC 7517 section 5).
///
/// Keys that cannot be used here (encryption keys, unknown types, malformed numbers) are left out, as the RFC asks: one
/// odd key must not spoil the others.
public struct JSONWebKeySet: Sendable, Hashable {
    /// The usable keys, in the order of the document.
    public let keys: [JSONWebKey]

    /// A set of known keys.
    public init(_ keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// Reads a document.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when it has no array of keys.
    public init(members: [String: JSONValue]) throws {
        guard let entries = members["keys"]?.arrayValue else { throw OAuthError.invalidToken(.malformedKeySet) }
        keys = entries.compactMap { $0.objectValue.flatMap { try? JSONWebKey(members: $0) } }
    }

    /// Reads the answer to a request for the set.
    /// - Throws: ``OAuthError/unusableAnswer(_:host:)`` when it is no key set.
    public init(_ data: Data, _ response: HTTPURLResponse) throws {
        let answer = Answer(data, response)
        let members = try answer.object(contentTypes: ["application/json", "application/jwk-set+json"])
        guard members["keys"]?.arrayValue != nil else { throw answer.unusable(.missingMember("keys")) }
        try self.init(members: members)
    }

    /// The one key that can have signed a token.
    /// - Parameters:
    ///   - algorithm: the `alg` of the token's header.
    ///   - keyID: its `kid`.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when no key fits, or when several do and nothing tells them apart
    ///   (OpenID Connect Core section 10.1 asks for a `kid` then).
    public func key(for algorithm: SigningAlgorithm, keyID: String?) throws -> JSONWebKey {
        let candidates = keys.filter { $0.canVerify(algorithm) && (keyID == nil || $0.keyID == keyID) }
        guard let key = candidates.first else { throw OAuthError.invalidToken(.keyNotFound) }
        guard candidates.count == 1 else { throw OAuthError.invalidToken(.ambiguousKey) }
        return key
    }
}
