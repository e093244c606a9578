import Foundation

/// When the time comes to refresh an access token.
package enum RefreshWindow {
    /// How many seconds before its end a token may be refreshed without need: longer lives have longer windows, so that an
    /// outage of the backend passes unnoticed; never more than half a life.
    package static func length(issuedAt: Date, expiresAt: Date) -> TimeInterval {
        let lifetime = expiresAt.timeIntervalSince(issuedAt)
        let minutes: TimeInterval = lifetime <= 20 * 60 ? 5 : lifetime < 90 * 60 ? 15 : 60
        return min(minutes * 60, max(0, lifetime) / 2)
    }

    /// Whether a token looks as if it came from the future: the clock was set back, and nobody knows how old it is.
    package static func isBeforeIssue(_ now: Date, issuedAt: Date) -> Bool {
        now < issuedAt - 60
    }
}
