import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The resources that refused the token that a refresh for them brought. Another one would change nothing, so they cause
/// none for a minute, then for twice as long, up to the life of a token. A success ends that. No other resource is affected.
final class ResourceRefusals: Sendable {
    /// A resource and who asks it.
    struct Place: Hashable, Sendable {
        let account: AccountID
        /// Scheme, host and port.
        private let origin: [String]

        init(_ account: AccountID, at url: URL?) {
            self.account = account
            origin = [url?.scheme, url?.host, url?.port.map(String.init)].map { $0?.lowercased() ?? "" }
        }
    }

    private struct Refusal: Sendable {
        /// The authorization that the last refresh for the resource brought.
        let authorization: Secret
        /// The one before, which the resource refused.
        let former: Secret?
        /// When the resource causes no refresh: from the last one on, because the clock may be set back after it.
        let rest: Range<Date>
        /// Whether the resource refused that authorization too.
        var isConfirmed = false
    }

    private struct State: Sendable {
        var refusals: [Place: Refusal] = [:]
        /// The sessions in which the person was asked to sign in for a resource.
        var asked: [Place: Date] = [:]
    }

    private static let first: TimeInterval = 60
    private let state = Locked(State())

    /// Whether the resource causes no refresh now.
    func rests(_ place: Place, at now: Date) -> Bool {
        state.withLock { $0.refusals[place]?.rest.contains(now) ?? false }
    }

    /// Whether the resource is known to have refused an authorization.
    func hasRefused(_ place: Place, _ authorization: String?) -> Bool {
        state.withLock { state in
            guard let refusal = state.refusals[place] else { return false }
            return refusal.former?.reveal() == authorization
                || refusal.isConfirmed && refusal.authorization.reveal() == authorization
        }
    }

    /// Notes that a refresh for the resource has brought a new authorization.
    /// - Parameters:
    ///   - former: the one that the resource refused.
    ///   - life: the seconds that the new token lasts.
    func refreshed(
        _ place: Place, with authorization: String?, after former: String?, lasting life: TimeInterval, at now: Date
    ) {
        guard let authorization else { return }
        state.withLock { state in
            let last = state.refusals[place]
            // Others who were refused at the same time share the refresh.
            guard last?.authorization.reveal() != authorization else { return }
            var pause = Self.first
            if let last, last.isConfirmed {
                pause = min(2 * last.rest.upperBound.timeIntervalSince(last.rest.lowerBound), max(life, pause))
            }
            state.refusals[place] = Refusal(
                authorization: Secret(authorization), former: former.map { Secret($0) }, rest: now..<(now + pause))
        }
    }

    /// Notes that the resource has refused an authorization.
    func refused(_ place: Place, _ authorization: String?) {
        state.withLock { state in
            guard let refusal = state.refusals[place], refusal.authorization.reveal() == authorization else { return }
            state.refusals[place]?.isConfirmed = true
        }
    }

    /// Notes that the resource has taken an authorization.
    func taken(_ place: Place) {
        state.withLock { state in
            if !state.refusals.isEmpty { state.refusals[place] = nil }
            if !state.asked.isEmpty { state.asked[place] = nil }
        }
    }

    // MARK: The person

    /// Whether the person was asked for the resource in the session that began at `session`, or began it because of that.
    func hasAsked(_ place: Place, in session: Date?) -> Bool {
        state.withLock { $0.asked[place] == session ?? .distantPast }
    }

    /// Notes that the person was asked, and is in the session that began at `session`.
    func asked(_ place: Place, in session: Date?) {
        state.withLock { $0.asked[place] = session ?? .distantPast }
    }
}

extension HTTPURLResponse {
    /// Whether it refuses the token itself: not the proof of its key (RFC 9449), nor the person's sign-in (RFC 9470).
    var refusesToken: Bool { statusCode == 401 && !names("insufficient_user_authentication") && !refusesProof }

    /// Whether it asks for another proof of the token's key (RFC 9449 sections 7.1 and 9).
    var refusesProof: Bool { names("use_dpop_nonce") || names("invalid_dpop_proof") }

    private func names(_ error: String) -> Bool {
        value(forHTTPHeaderField: "WWW-Authenticate")?.contains("\"\(error)\"") ?? false
    }
}
