import Foundation

/// State of a session that only its user can renew by signing in. The tokens are kept until a sign-in replaces them, or
/// until the server accepts the refresh token again.
public struct Suspension: Sendable, Hashable {
    /// Start of the suspension; later failures of the same kind do not move it.
    public let since: Date
    /// The reason, in words for a person.
    public let reason: String
    /// The time after which a call asks the server again; `nil` when only a sign-in helps.
    public let nextAttempt: Date?
    /// Distinguishes causes, such as by status and error code.
    package let kind: String
    /// The days, counted from 1970, on which the server gave the same answer.
    package let days: [Int]

    /// How often a call asks the server again.
    package enum Retries: Sendable {
        case never
        case soon
        case hourly
        /// After 1, 5 and 15 minutes, then every hour.
        case everRarer
    }

    /// - Parameters:
    ///   - kind: distinguishes causes.
    ///   - reason: why.
    ///   - retries: how often a call asks the server again.
    ///   - earlier: the suspension that was in force.
    package init(
        _ kind: String, because reason: String, retries: Retries, at now: Date, after earlier: Suspension? = nil
    ) {
        let before = earlier.flatMap { $0.kind == kind ? $0 : nil }
        let since = before?.since ?? now
        let today = Int(now.wholeSecondsSince1970 / 86_400)
        let days = (before?.days ?? []).filter { $0 != today } + [today]
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

    private static func pause(after elapsed: TimeInterval) -> TimeInterval {
        [(60, 60), (360, 300), (1260, 900)].first { elapsed < $0.0 }?.1 ?? 3600
    }

    /// Whether the server must not be asked at `now`. A time more than an hour ahead is ignored, because it was set by
    /// a wrong clock.
    package func rests(at now: Date) -> Bool {
        nextAttempt.map { $0.isAhead(of: now, byAtMost: .seconds(3600)) } ?? true
    }

    /// Whether the server's refusal counts as final: it was repeated on five days, the last of them at least a week
    /// after the first.
    package var isFinal: Bool {
        guard days.count >= 5, let first = days.first, let last = days.last else { return false }
        return last - first >= 7
    }
}

extension Suspension: Codable {
    private enum CodingKeys: String, CodingKey {
        case since, reason, nextAttempt, kind, days
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        since = try container.decodeDate(forKey: .since)
        reason = try container.decode(String.self, forKey: .reason)
        nextAttempt = try container.decodeDateIfPresent(forKey: .nextAttempt)
        kind = try container.decode(String.self, forKey: .kind)
        days = try container.decode([Int].self, forKey: .days).filter { (0...3_000_000).contains($0) }
    }
}
