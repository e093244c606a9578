import Foundation
import IdentityKit
import IdentityStoreFormat

/// A cache for a service that calls other services on behalf of the senders of its requests.
///
/// The service exchanges the sender's token for an access token, which this cache keeps. Concurrent callers with the same key
/// share one exchange. If the expiry of the sender's token is known, the cached token is not used after that time. A later
/// call asks the server for a new exchange, which the server should refuse.
final class DelegatedTokens: Sendable {
    /// The parameters of the request for a token. The tokens of the sender and of the actor are kept only as hashes.
    struct Key: Hashable, Sendable {
        private let subject: String
        private let actor: String?
        private let client: String
        private let resource: String?
        private let scopes: Set<String>
        private let thumbprint: String?

        /// - Parameter thumbprint: the thumbprint of the key that the token is bound to; `nil` for a bearer token.
        init(
            _ subject: Secret, actor: Secret?, client: String, resource: String?, scopes: Set<String>,
            thumbprint: String? = nil
        ) {
            self.thumbprint = thumbprint
            self.subject = digest(of: Array(subject.reveal().utf8))
            self.actor = actor.map { digest(of: Array($0.reveal().utf8)) }
            (self.client, self.resource, self.scopes) = (client, resource, scopes)
        }
    }

    private struct Known: Sendable {
        let credential: Credential
        let end: Date
        /// The value of `State.uses` at the token's last use. The token with the lowest value was used least recently.
        var use: Int
    }

    private struct State: Sendable {
        var tokens: [Key: Known] = [:]
        var uses = 0
    }

    /// The largest number of tokens; beyond it the least recently used one is dropped.
    static let limit = 1_000

    private let state = Locked(State())
    private let flights = Coalescer<Key, Credential>()
    private let time: TimeSource

    init(time: TimeSource) { self.time = time }

    /// The number of kept tokens, including expired ones that have not been looked up since.
    var count: Int { state.withLock { $0.tokens.count } }

    /// Returns the kept token for `key`, or requests one and keeps it.
    /// - Parameters:
    ///   - key: the parameters of the request for the token.
    ///   - rejected: a token that a resource server has just refused, which is not returned from memory; `nil` for none.
    ///   - end: the expiry of the sender's token; `nil` if unknown.
    ///   - request: requests a token from the server.
    /// - Throws: what `request` throws, or `CancellationError` when the caller is cancelled.
    func token(
        for key: Key, replacing rejected: String?, until end: Date?,
        _ request: @escaping @Sendable () async throws -> Credential
    ) async throws -> Credential {
        if let known = recall(key, unless: rejected) { return known }
        return try await flights.value(for: key) { [self] in
            // A request of another caller may have finished since the first lookup.
            if let known = recall(key, unless: rejected) { return known }
            let credential = try await request()
            remember(credential, for: key, until: end)
            return credential
        }
    }

    private func recall(_ key: Key, unless rejected: String?) -> Credential? {
        let now = time.now
        return state.withLock { state in
            guard let known = state.tokens[key] else { return nil }
            guard now < known.end, known.credential.accessToken.reveal() != rejected else {
                state.tokens[key] = nil
                return nil
            }
            state.uses += 1
            state.tokens[key]?.use = state.uses
            return known.credential
        }
    }

    /// Keeps the token until the sender's token expires, or until shortly before the token's own expiry if that is
    /// earlier. The margin is a tenth of the token's lifetime, at most 60 seconds. A token is not kept if both expiries
    /// are unknown.
    private func remember(_ credential: Credential, for key: Key, until end: Date?) {
        let ownEnd = credential.expiresAt.map { $0 - min(60, $0.timeIntervalSince(credential.issuedAt) / 10) }
        guard let end = [ownEnd, end].compactMap(\.self).min(), time.now < end else { return }
        state.withLock { state in
            if state.tokens.count >= Self.limit, state.tokens[key] == nil,
                let oldest = state.tokens.min(by: { $0.value.use < $1.value.use })?.key
            {
                state.tokens[oldest] = nil
            }
            state.uses += 1
            state.tokens[key] = Known(credential: credential, end: end, use: state.uses)
        }
    }
}
