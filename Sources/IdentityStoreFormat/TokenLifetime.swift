/// The lifetimes of an access token and its session, which decide when the token is refreshed.
package struct TokenLifetime: Sendable {
    package enum Urgency: Sendable {
        case none
        /// The token stays valid for some time, so a failure of the refresh does no harm.
        case early
        /// The token has expired, is about to expire, or is not verified.
        case due
    }

    package var issuedAt: Date
    /// When the token expires; `nil` when that is unknown.
    package var expiresAt: Date?
    /// When the session ends even if it is refreshed; `nil` when that is unknown.
    package var sessionEndsAt: Date?
    package var isRefreshable: Bool
    package var isVerified: Bool

    package init(
        issuedAt: Date, expiresAt: Date? = nil, sessionEndsAt: Date? = nil, isRefreshable: Bool = false,
        isVerified: Bool = true
    ) {
        (self.issuedAt, self.expiresAt, self.sessionEndsAt) = (issuedAt, expiresAt, sessionEndsAt)
        (self.isRefreshable, self.isVerified) = (isRefreshable, isVerified)
    }

    /// Whether the token can still be used.
    package func isValid(at now: Date) -> Bool {
        expiresAt.map { now < $0 } ?? true
    }

    /// Whether the session has ended: it has reached its end, or its token has expired and there is no refresh token.
    package func hasEnded(at now: Date) -> Bool {
        if let sessionEndsAt, now >= sessionEndsAt { return true }
        return !isRefreshable && !isValid(at: now)
    }

    /// Whether the token is in its last minute, or in the last tenth of a short lifetime, so that it could expire on
    /// the way to a server.
    package func isDue(at now: Date) -> Bool {
        guard let expiresAt else { return false }
        let margin = min(60, max(0, expiresAt.timeIntervalSince(issuedAt)) / 10)
        return now >= expiresAt - margin
    }

    /// Earliest time at which the token's dates are plausible. Before that the clock was set back, the token's age is
    /// unknown, and it is refreshed if possible. A minute of deviation between clocks is accepted.
    package var believableFrom: Date { isRefreshable ? issuedAt - 60 : .distantPast }

    /// Whether the token has to be refreshed, and how urgently.
    /// - Parameter jitter: the fraction of the window by which this process begins later, so that processes that share
    ///   a token do not all refresh it at once.
    package func urgency(at now: Date, jitter: Double = 0) -> Urgency {
        guard isVerified else { return .due }
        guard isRefreshable else { return isValid(at: now) ? .none : .due }
        if now < believableFrom { return .early }
        if isDue(at: now) { return .due }
        return earlyDate(jitter: jitter).map { now >= $0 } ?? false ? .early : .none
    }

    /// Earliest time for refreshing the token; `nil` when its expiry is unknown.
    package func earlyDate(jitter: Double = 0) -> Date? {
        guard let expiresAt else { return nil }
        return isRefreshable ? expiresAt - Self.window(from: issuedAt, to: expiresAt) * (1 - jitter) : expiresAt
    }

    /// Length in seconds of the time before expiry in which a token is refreshed early: longer for a longer lifetime,
    /// to bridge an outage of the backend, but at most half of it.
    private static func window(from issuedAt: Date, to expiresAt: Date) -> TimeInterval {
        let lifetime = expiresAt.timeIntervalSince(issuedAt)
        let minutes: TimeInterval = lifetime <= 20 * 60 ? 5 : lifetime < 90 * 60 ? 15 : 60
        return min(minutes * 60, max(0, lifetime) / 2)
    }
}
