import Foundation

/// The state of a session that cannot be refreshed, so that usually its user has to sign in again. The tokens are kept.
/// The suspension ends when the user signs in, or when the server accepts the refresh token again. The whole session
/// ends when the server's refusal counts as final.
public struct Suspension: Sendable, Hashable, Codable {
    /// The start of the suspension. Later failures of the same kind do not move it.
    package let since: Date
    /// The reason, in words for a person.
    public let reason: String
    /// The time after which a call asks the server again; `nil` when only a sign-in helps.
    public let nextAttempt: Date?
    /// The cause in short form, such as a status and an error code. A later failure of the same kind continues the
    /// suspension.
    package let kind: String
    /// The days on which a refresh failed for this cause, as numbers of days since 1970. Only the first day and the
    /// four latest days are kept.
    package let days: [Int]

    /// How often a call asks the server again.
    package enum Retries: Sendable {
        case never
        case soon
        case hourly
        /// Pauses of 1, 5 and 15 minutes, then pauses of an hour.
        case everRarer
    }

    /// Makes a suspension that begins now, or continues `earlier` if that has the same `kind`.
    /// - Parameters:
    ///   - kind: the cause in short form.
    ///   - reason: the reason, in words for a person.
    ///   - retries: how often a call asks the server again.
    ///   - now: the current time.
    ///   - earlier: the suspension until now; `nil` if the session was not suspended.
    package init(
        _ kind: String, because reason: String, retries: Retries, at now: Date, after earlier: Suspension? = nil
    ) {
        let before = earlier.flatMap { $0.kind == kind ? $0 : nil }
        let since = before?.since ?? now
        let today = Int(now.wholeSecondsSince1970 / 86_400)
        // Drop days after today, because a wrong clock recorded them.
        let days = (before?.days ?? []).filter { $0 < today } + [today]
        self.kind = kind
        self.reason = reason
        self.since = since
        self.days = days.count > 5 ? [days[0]] + days.suffix(4) : days
        nextAttempt =
            switch retries {
            case .never: nil
            case .soon: now + 30
            case .hourly: now + 3600
            case .everRarer: now + Self.pause(after: now.timeIntervalSince(since))
            }
    }

    /// Makes a suspension from its stored members.
    package init(since: Date, reason: String, nextAttempt: Date?, kind: String, days: [Int]) {
        (self.since, self.reason, self.nextAttempt, self.kind, self.days) = (since, reason, nextAttempt, kind, days)
    }

    private static func pause(after elapsed: TimeInterval) -> TimeInterval {
        [(60, 60), (360, 300), (1260, 900)].first { elapsed < $0.0 }?.1 ?? 3600
    }

    /// Whether the server must not be asked at `now`: until ``nextAttempt``, or always if that is `nil`. A
    /// ``nextAttempt`` more than an hour ahead is ignored, because a wrong clock set it.
    package func rests(at now: Date) -> Bool {
        nextAttempt.map { $0.isAhead(of: now, byAtMost: .seconds(3600)) } ?? true
    }

    /// Whether the server's refusal counts as final: a refresh has failed on at least five days, and at least a week
    /// lies between the first and the last of them.
    package var isFinal: Bool {
        guard days.count >= 5, let first = days.first, let last = days.last else { return false }
        return last - first >= 7
    }
}
