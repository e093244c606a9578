import Foundation
import IdentityKit
import IdentityStoreFormat

/// The access tokens of a program, in memory, by scopes. Concurrent callers share one request, and a token is renewed
/// before it expires.
final class WorkloadTokens: Sendable {
    private struct Known: Sendable {
        let credential: Credential
        /// The time until which a valid token stays in use after a failed renewal.
        var askAgainAt = Date.distantPast
    }

    private struct State: Sendable {
        var tokens: [Set<String>: Known] = [:]
        /// Number of sign-outs. A token that was requested before one of them is dropped.
        var epoch = 0
    }

    /// The largest number of tokens, so that a caller with ever new sets of scopes cannot fill the memory.
    private static let limit = 64
    /// The time before a failed renewal is repeated while the token is still valid, in seconds.
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

    /// A token in memory that does not need to be renewed yet.
    func fresh(_ scopes: Set<String>) -> Credential? {
        state.withLock { $0.tokens[scopes] }.flatMap { needsRequest($0) ? nil : $0.credential }
    }

    /// Whether any token in memory is still valid.
    var hasValid: Bool {
        let now = time.now
        return state.withLock { state in state.tokens.values.contains { $0.credential.isValid(at: now) } }
    }

    /// A valid token with the scopes.
    /// - Parameter rejected: a token that a resource server has just refused; a newer one is returned if there is one.
    /// - Throws: what the request throws, when there is no other token that is still valid.
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

    /// Forgets all tokens.
    /// - Returns: those that were known.
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
