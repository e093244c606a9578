import Foundation

/// How long an access token and its session last, and when the token is refreshed: early, while there is time and nobody
/// has to wait, or when it must be.
package struct TokenLife: Sendable {
    /// How soon a token has to be refreshed.
    package enum Urgency: Sendable {
        case none
        /// It works for a while; a refresh may fail.
        case early
        /// It is about to expire, or has, or what it came with was never verified.
        case due
    }

    /// When the token was issued, on this machine's clock.
    package var issuedAt: Date
    /// When the token expires; `nil` when nobody knows.
    package var expiresAt: Date?
    /// When the session ends whatever is done; `nil` when nobody knows.
    package var sessionEndsAt: Date?
    /// Whether there is a refresh token.
    package var isRefreshable: Bool
    /// Whether what the token came with has been verified.
    package var isVerified: Bool

    /// The life of a token.
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

    /// Whether the session is over: it has reached its end, or the token has expired and nothing can refresh it.
    package func hasEnded(at now: Date) -> Bool {
        if let sessionEndsAt, now >= sessionEndsAt { return true }
        return !isRefreshable && !isValid(at: now)
    }

    /// Whether the token is in its last minute, or in the last tenth of a short life: it could expire on its way to a
    /// server.
    package func isDue(at now: Date) -> Bool {
        guard let expiresAt else { return false }
        let margin = min(60, max(0, expiresAt.timeIntervalSince(issuedAt)) / 10)
        return now >= expiresAt - margin
    }

    /// Whether it looks as if the token came from the future: the clock was set back, and nobody knows how old it is.
    package func isOfTheFuture(at now: Date) -> Bool {
        now < issuedAt - 60
    }

    /// How soon the token has to be refreshed.
    /// - Parameter jitter: the part of the window by which this process begins later than others, so that those who share
    ///   a token do not all refresh it at once.
    package func urgency(at now: Date, jitter: Double = 0) -> Urgency {
        guard isVerified else { return .due }
        guard isRefreshable else { return isValid(at: now) ? .none : .due }
        if isOfTheFuture(at: now) { return .early }
        if isDue(at: now) { return .due }
        return earlyDate(jitter: jitter).map { now >= $0 } ?? false ? .early : .none
    }

    /// From when on the token may be refreshed; `nil` when nobody knows when it expires.
    package func earlyDate(jitter: Double = 0) -> Date? {
        guard let expiresAt else { return nil }
        return isRefreshable ? expiresAt - Self.window(from: issuedAt, to: expiresAt) * (1 - jitter) : expiresAt
    }

    /// How many seconds before its end a token may be refreshed without need: longer lives have longer windows, so that an
    /// outage of the backend passes unnoticed; never more than half a life.
    private static func window(from issuedAt: Date, to expiresAt: Date) -> TimeInterval {
        let lifetime = expiresAt.timeIntervalSince(issuedAt)
        let minutes: TimeInterval = lifetime <= 20 * 60 ? 5 : lifetime < 90 * 60 ? 15 : 60
        return min(minutes * 60, max(0, lifetime) / 2)
    }
}
