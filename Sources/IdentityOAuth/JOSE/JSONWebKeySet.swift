import Foundation
import IdentityKit

/// A server's public keys. Keys that are malformed, weak, or of an unknown type or curve are left out (RFC 7517
/// section 5). Keys for encryption stay in the set, but ``key(for:keyID:)`` does not return them.
package struct JSONWebKeySet: Sendable, Hashable {
    /// The keys that are not left out, in the order of the document.
    package let keys: [JSONWebKey]

    /// The `kid` of each key that was left out as weak, so that an error can name this cause; `nil` for a weak key without
    /// `kid`.
    private let weakKeyIDs: [String?]
    /// For each `kid`, the positions of its keys in ``keys``. A lookup by `kid` is fast even if a server publishes a
    /// thousand keys.
    private let positions: [String: [Int]]

    /// Creates a set of `keys` that are already imported.
    package init(_ keys: [JSONWebKey]) {
        self.init(keys, weakKeyIDs: [])
    }

    private init(_ keys: [JSONWebKey], weakKeyIDs: [String?]) {
        self.keys = keys
        self.weakKeyIDs = weakKeyIDs
        positions = keys.indices.reduce(into: [:]) { positions, index in
            if let keyID = keys[index].keyID { positions[keyID, default: []].append(index) }
        }
    }

    /// Reads a JWK set from the members of its document.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when `keys` is not an array.
    package init(members: [String: JSONValue]) throws {
        guard let entries = members["keys"]?.arrayValue else { throw OAuthError.invalidToken(.malformedKeySet) }
        var (keys, weakKeyIDs) = ([JSONWebKey](), [String?]())
        for entry in entries.compactMap(\.objectValue) {
            do {
                keys.append(try JSONWebKey(members: entry))
            } catch OAuthError.invalidToken(.weakKey) {
                weakKeyIDs.append(entry["kid"]?.stringValue)
            } catch {
                // Unusable keys are left out.
            }
        }
        self.init(keys, weakKeyIDs: weakKeyIDs)
    }

    /// Reads the response to a request for the set.
    /// - Throws: ``OAuthError/refused(_:)`` for an OAuth error, or ``OAuthError/invalidResponse(_:host:)`` for any other
    ///   response that is not a JWK set.
    package init(_ data: Data, _ response: HTTPURLResponse) throws {
        let received = HTTPResponse(data, response)
        let members = try received.object()
        guard members["keys"]?.arrayValue != nil else { throw received.unusable(.missingMember("keys")) }
        try self.init(members: members)
    }

    /// Returns the key that verifies a token.
    /// - Parameters:
    ///   - algorithm: the `alg` of the token's header.
    ///   - keyID: the `kid` of the token's header, compared byte for byte (RFC 7517 section 4.5); `nil` if it is absent.
    /// - Throws: ``OAuthError/invalidToken(_:)``. The reason is ``InvalidTokenReason/ambiguousKey`` if several different keys
    ///   fit (OpenID Connect Core section 10.1). If no key fits, the reason is the first of these that applies:
    ///   ``InvalidTokenReason/unfitKey(_:)`` if a key for signatures with the `kid` has another type or curve;
    ///   ``InvalidTokenReason/weakKey`` if a key with the `kid` was left out as weak, or the token has no `kid` and any key was
    ///   left out as weak; ``InvalidTokenReason/keyNotFound`` in every other case.
    package func key(for algorithm: SigningAlgorithm, keyID: String?) throws -> JSONWebKey {
        let named = keyID.map(keys(withID:)) ?? keys
        let candidates = named.filter { $0.canVerify(algorithm) }
        guard let key = candidates.first else {
            let isUnfit = keyID != nil && named.contains { $0.isForSignatures && !$0.fits(algorithm) }
            let isWeak = weakKeyIDs.contains { weak in keyID.map { weak?.hasBytes(of: $0) == true } ?? true }
            throw OAuthError.invalidToken(isUnfit ? .unfitKey(algorithm) : isWeak ? .weakKey : .keyNotFound)
        }
        // Some servers publish the same key twice, which is not ambiguous.
        guard candidates.allSatisfy({ $0.material.isSameKey(as: key.material) }) else {
            throw OAuthError.invalidToken(.ambiguousKey)
        }
        return key
    }

    private func keys(withID keyID: String) -> [JSONWebKey] {
        // A dictionary compares strings by Unicode equivalence, but a `kid` must match byte for byte.
        positions[keyID, default: []].map { keys[$0] }.filter { $0.keyID?.hasBytes(of: keyID) == true }
    }
}
