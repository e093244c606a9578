import Foundation
import IdentityKit
import IdentityStoreFormat

/// The access tokens of a program, kept in memory by their requested scopes. Concurrent callers with the same scopes share
/// one request, and a token is renewed before it expires.
final class WorkloadTokens: Sendable {
    private struct Known: Sendable {
        let credential: Credential
        /// The earliest time of the next attempt after a failed renewal. Once the token has expired, this time no longer
        /// counts.
        var askAgainAt = Date.distantPast
    }

    private struct State: Sendable {
        var tokens: [Set<String>: Known] = [:]
        /// The number of sign-outs. A token whose request began before the last sign-out is not kept.
        var epoch = 0
    }

    /// The largest number of tokens in memory, because a caller may request ever new sets of scopes. When it is
    /// reached, expired tokens are removed. If none has expired, all are removed.
    private static let limit = 64
    /// The shortest time between a failed renewal and the next one while the token is still valid, in seconds.
    private static let pause: TimeInterval = 10

    private let state = Locked(State())
    private let flights = Coalescer<Set<String>, Credential>()
    private let jitter = Double.random(in: 0...0.2)
    private let time: TimeSource
    private let request: @Sendable (Set<String>) async throws -> Credential

    /// - Parameters:
    ///   - time: the clock that decides when a token has to be renewed.
    ///   - request: requests a token with the given scopes; concurrent callers with the same scopes share one request.
    init(time: TimeSource, request: @escaping @Sendable (Set<String>) async throws -> Credential) {
        self.time = time
        self.request = request
    }

    /// Returns the token for `scopes` in memory; `nil` if there is none, or if it has to be renewed.
    func fresh(_ scopes: Set<String>) -> Credential? {
        state.withLock { $0.tokens[scopes] }.flatMap { needsRequest($0) ? nil : $0.credential }
    }

    /// Whether any token in memory is still valid.
    var hasValid: Bool {
        let now = time.now
        return state.withLock { state in state.tokens.values.contains { $0.credential.isValid(at: now) } }
    }

    /// Returns the token for `scopes` in memory, or requests a new one if there is none or it has to be renewed. If the
    /// request fails, returns the token in memory as long as it is valid.
    /// - Parameters:
    ///   - scopes: the scopes of the token.
    ///   - rejected: a token that a resource server has just refused, which is not returned from memory; `nil` for none.
    /// - Throws: what the request throws, when memory has no other valid token or the caller was cancelled.
    func credential(for scopes: Set<String>, replacing rejected: String?) async throws -> Credential {
        let (known, epoch) = state.withLock { ($0.tokens[scopes], $0.epoch) }
        if let known, !known.credential.isToken(rejected), !needsRequest(known) { return known.credential }
        do {
            return try await flights.value(for: scopes) { [self] in
                // The request of another caller may have finished in the meantime.
                let newer = state.withLock { $0.tokens[scopes] }
                if let newer, newer.credential.accessToken != known?.credential.accessToken, !needsRequest(newer) {
                    return newer.credential
                }
                let credential = try await request(scopes)
                remember(credential, for: scopes, since: epoch)
                return credential
            }
        } catch {
            guard let known, !known.credential.isToken(rejected), known.credential.isValid(at: time.now),
                !Task.isCancelled
            else { throw error }
            let again = time.now + Self.pause
            state.withLock { $0.tokens[scopes]?.askAgainAt = again }
            return known.credential
        }
    }

    /// Removes all tokens from memory. A token whose request is still running will not be kept either.
    /// - Returns: the tokens that were in memory, so that the caller can revoke them.
    func removeAll() -> [Credential] {
        state.withLock { state in
            state.epoch += 1
            defer { state.tokens = [:] }
            return state.tokens.values.map(\.credential)
        }
    }

    private func needsRequest(_ known: Known) -> Bool {
        let now = time.now
        let credential = known.credential
        let life = TokenLifetime(issuedAt: credential.issuedAt, expiresAt: credential.expiresAt, isRefreshable: true)
        if life.urgency(at: now, jitter: jitter) == .none { return false }
        return !life.isValid(at: now) || now >= known.askAgainAt
    }

    private func remember(_ credential: Credential, for scopes: Set<String>, since epoch: Int) {
        let now = time.now
        state.withLock { state in
            guard state.epoch == epoch else { return }
            if state.tokens.count >= Self.limit, state.tokens[scopes] == nil {
                state.tokens = state.tokens.filter { $1.credential.isValid(at: now) }
                if state.tokens.count >= Self.limit { state.tokens.removeAll() }
            }
            state.tokens[scopes] = Known(credential: credential)
        }
    }
}

extension Credential {
    fileprivate func isToken(_ text: String?) -> Bool { accessToken.reveal() == text }
}
