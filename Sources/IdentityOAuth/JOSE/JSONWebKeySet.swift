import Foundation
import IdentityKit

/// A server's public signing keys. Unusable keys, such as encryption keys, unknown types and malformed ones, are left
/// out (RFC 7517 section 5).
public struct JSONWebKeySet: Sendable, Hashable {
    /// The usable keys, in the order of the document.
    public let keys: [JSONWebKey]

    /// Identifiers of the keys that were left out as weak, so that an error can name that cause.
    private let weakKeyIDs: [String?]
    /// Positions of the keys with a `kid` in ``keys``, for a lookup in constant time: a server may publish a thousand.
    private let positions: [String: [Int]]

    /// A set of known keys.
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

    /// Reads a document.
    /// - Throws: ``OAuthError/invalidToken(_:)`` when it has no array of keys.
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
    /// - Throws: ``OAuthError/invalidResponse(_:host:)`` when it is no key set.
    package init(_ data: Data, _ response: HTTPURLResponse) throws {
        let received = HTTPResponse(data, response)
        let members = try received.object()
        guard members["keys"]?.arrayValue != nil else { throw received.unusable(.missingMember("keys")) }
        try self.init(members: members)
    }

    /// The one key that can have signed a token.
    /// - Parameters:
    ///   - algorithm: the `alg` of the token's header.
    ///   - keyID: its `kid`, which is compared byte for byte (RFC 7517 section 4.5).
    /// - Throws: ``OAuthError/invalidToken(_:)`` when no key fits, the only one that could is weak, the named key is of
    ///   another type or curve, or several fit and there is no `kid` (OpenID Connect Core section 10.1).
    public func key(for algorithm: SigningAlgorithm, keyID: String?) throws -> JSONWebKey {
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
        // Dictionary keys are equal by Unicode equivalence; a `kid` must match byte for byte.
        positions[keyID, default: []].map { keys[$0] }.filter { $0.keyID?.hasBytes(of: keyID) == true }
    }
}
