/// The dates of an access token and of its session. They decide when the token is refreshed.
package struct TokenLifetime: Sendable {
    package enum Urgency: Sendable {
        case none
        /// The token should be refreshed, but can still be used if the refresh fails.
        case early
        /// The token has expired, is not verified, or can be refreshed and is about to expire.
        case due
    }

    package var issuedAt: Date
    /// Expiry of the token; `nil` when it is unknown.
    package var expiresAt: Date?
    /// Time at which the session ends even if its token is refreshed; `nil` when it is unknown.
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

    /// Whether the token has not expired at `now`. A token of unknown expiry is valid.
    package func isValid(at now: Date) -> Bool {
        expiresAt.map { now < $0 } ?? true
    }

    /// Whether the session has ended: it has reached its end, or its token has expired and there is no refresh token.
    package func hasEnded(at now: Date) -> Bool {
        if let sessionEndsAt, now >= sessionEndsAt { return true }
        return !isRefreshable && !isValid(at: now)
    }

    /// Whether the token has expired, or could expire on the way to a server because its last minute has begun. With a
    /// lifetime below ten minutes, the last tenth counts instead of the last minute. `false` for a token of unknown
    /// expiry.
    package func isDue(at now: Date) -> Bool {
        guard let expiresAt else { return false }
        let margin = min(60, max(0, expiresAt.timeIntervalSince(issuedAt)) / 10)
        return now >= expiresAt - margin
    }

    /// Earliest plausible current time: a minute before the token was issued, because clocks deviate. If the clock shows an
    /// earlier time, the clock has been set back and the token's age is unknown, so the token is refreshed. For a token that
    /// cannot be refreshed, the value is `.distantPast`, so that every time is plausible.
    package var believableFrom: Date { isRefreshable ? issuedAt - 60 : .distantPast }

    /// Returns how urgently the token has to be refreshed at `now`.
    /// - Parameter jitter: how much this process delays early refreshes: from 0 for no delay to 1 for a delay until the
    ///   expiry. Processes that share a token use different numbers, so that they do not all refresh it at once.
    package func urgency(at now: Date, jitter: Double = 0) -> Urgency {
        guard isVerified else { return .due }
        guard isRefreshable else { return isValid(at: now) ? .none : .due }
        if now < believableFrom { return .early }
        if isDue(at: now) { return .due }
        return earlyDate(jitter: jitter).map { now >= $0 } ?? false ? .early : .none
    }

    /// Returns the time from which the token is refreshed early, or the expiry if the token cannot be refreshed; `nil` when
    /// the expiry is unknown.
    /// - Parameter jitter: how much early refreshes are delayed, as for ``urgency(at:jitter:)``.
    package func earlyDate(jitter: Double = 0) -> Date? {
        guard let expiresAt else { return nil }
        return isRefreshable ? expiresAt - Self.window(from: issuedAt, to: expiresAt) * (1 - jitter) : expiresAt
    }

    /// Returns the seconds from the early refresh of a token to its expiry: 5 minutes for a lifetime of at most 20 minutes, 15
    /// minutes for a lifetime below 90 minutes, and an hour for a longer one. The result is at most half of the lifetime. The
    /// longer the time, the longer an outage of the backend can last without harm.
    private static func window(from issuedAt: Date, to expiresAt: Date) -> TimeInterval {
        let lifetime = expiresAt.timeIntervalSince(issuedAt)
        let minutes: TimeInterval = lifetime <= 20 * 60 ? 5 : lifetime < 90 * 60 ? 15 : 60
        return min(minutes * 60, max(0, lifetime) / 2)
    }
}
