import Foundation

/// A time during which a refresh token is not sent again, with the reason. Stored with the refresh intent, so that all
/// processes of the store observe it, and so that a repeated response can be recognized.
struct RefreshPause: Codable, Equatable {
    /// Failures that postpone the next refresh.
    enum Cause: String, Codable {
        /// No byte of the request left.
        case notSent
        /// The request was sent, and its outcome is unknown.
        case inDoubt
        /// The request was sent, but its response contains no readable token.
        case unreadable
        /// The request was sent, and its response was larger than the limit.
        case tooLarge
        /// A proxy or the like responded instead of the server, or the server did not examine the token.
        case unread
        /// The server demanded a pause.
        case askedToWait
        /// The session may have ended. If the same response comes after the pause, the session is suspended.
        case ambiguous
        /// The response contained a new refresh token, but an access token that must not be used.
        case unusable
        /// The server refused the client, not the session.
        case misconfigured
        /// The server refused the request, such as for its scopes, but not the session.
        case stepUpNeeded
    }

    let cause: Cause
    /// Distinguishes responses, such as by status and error code.
    let kind: String
    /// The text for a person.
    let message: String
    /// Number of consecutive pauses with the same cause.
    let count: Int
    /// Time of the first of consecutive responses of this kind, by this machine's clock; the distant past for a
    /// definitive error, and `nil` if the record has no such time.
    private let firstAt: Date?
    /// When the request ended, by this machine's clock.
    let since: Date
    /// End of the pause, by this machine's clock.
    private let until: Date
    /// When a mistake in the configuration was last reported, by this machine's clock.
    let reportedAt: Date

    /// The longest pause, whatever a server asks for.
    static let longest = Duration.seconds(3600)
    /// How long an unreadable response must keep coming before it counts as a mistake in the configuration.
    private static let persistence = Duration.seconds(60)
    /// Minimum time between two reports of a mistake in the configuration.
    static let silence = Duration.seconds(3600)

    /// Makes the pause after a failed refresh.
    /// - Parameters:
    ///   - advice: advice for callers during the pause, in addition to the error.
    ///   - length: the pause that the server demanded; `nil` for none.
    ///   - policy: whether the token may be sent again at all.
    ///   - earlier: the previous pause.
    init(
        _ cause: Cause, _ error: any Error, kind: String? = nil, advice: String? = nil, length: Duration? = nil,
        policy: ReplayPolicy, at now: Date, after earlier: RefreshPause?
    ) {
        self.cause = cause
        let kind = kind ?? (error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))"
        self.kind = kind
        message = [error.scrubbedMessage, advice].compactMap { $0 }.joined(separator: " ")
        let before = earlier.flatMap { $0.cause == cause ? $0 : nil }
        // Limit the number, because a file may contain any.
        count = min(max(before?.count ?? 0, 0), 1000) + 1
        since = now
        let isDefinitive = cause == .unreadable && error.identityFailureClass == .definitive
        firstAt = isDefinitive ? .distantPast : before.flatMap { $0.kind == kind ? $0.firstAt : nil } ?? now
        // Ignore a pause of less than a second: not everybody should ask again at once.
        let asked = length.flatMap { $0 < .seconds(1) ? nil : $0 }
        until = now + min(asked ?? Self.length(of: cause, count, policy), Self.longest).timeInterval
        let reported = before.flatMap { cause == .misconfigured ? $0.reportedAt : nil }
        reportedAt = reported.flatMap { $0.isWithin(Self.silence, before: now) ? $0 : nil } ?? now
    }

    /// Shortens the pause to two seconds, because a person asks for another attempt. A pause that the server demanded
    /// stays.
    func shortened(at now: Date) -> RefreshPause {
        let end = now + 2
        guard [.notSent, .inDoubt, .unreadable, .unread].contains(cause), until > end else { return self }
        return RefreshPause(self, until: end)
    }

    /// Converts the pause to a clock that is ahead by `seconds`.
    func shifted(by seconds: TimeInterval) -> RefreshPause {
        RefreshPause(self, until: until + seconds, shiftedBy: seconds)
    }

    private init(_ pause: RefreshPause, until: Date, shiftedBy seconds: TimeInterval = 0) {
        (cause, kind, message, count) = (pause.cause, pause.kind, pause.message, pause.count)
        (since, self.until, reportedAt) = (pause.since + seconds, until, pause.reportedAt + seconds)
        firstAt = pause.firstAt.map { $0 + seconds }
    }

    private static func length(of cause: Cause, _ count: Int, _ policy: ReplayPolicy) -> Duration {
        switch cause {
        case .notSent: .seconds(1)
        case .ambiguous, .misconfigured: .seconds(30)
        case .stepUpNeeded: longest
        case .unusable, .tooLarge: .seconds(count == 1 ? 60 : count == 2 ? 300 : 3600)
        case .inDoubt, .unreadable: max(spread(count, longest: 30), policy.isStrict ? .seconds(2) : .zero)
        case .unread: spread(count, longest: 30)
        case .askedToWait: spread(count, longest: 60)
        }
    }

    /// A pause of 1, 2, 4, … seconds, varied by up to a quarter, so that machines do not return at the same time.
    private static func spread(_ count: Int, longest: Double) -> Duration {
        .seconds(min(Double(1 << min(count - 1, 6)), longest) * Double.random(in: 0.75...1.25))
    }

    /// Whether the pause applies at `now`. A pause that starts in the future is ignored, because the clock was set
    /// back.
    func holds(at now: Date) -> Bool {
        now < end && since <= now
    }

    /// End of the pause, limited because a file may contain any date.
    private var end: Date { min(until, since + Self.longest.timeInterval) }

    /// Whether this response repeats `earlier` after the pause of that one.
    func confirms(_ earlier: RefreshPause?) -> Bool {
        guard let earlier, cause == earlier.cause, kind == earlier.kind else { return false }
        return since >= earlier.end
    }

    /// Whether the same response has come for a minute, so that it is no temporary fault.
    private var persists: Bool { firstAt.map { !$0.isWithin(Self.persistence, before: since) } ?? false }

    /// Whether this is the first report of its kind within an hour.
    var isToBeReported: Bool { cause == .misconfigured && reportedAt == since }

    /// The error for the caller whose attempt failed: `cause`, unless callers during the pause get a different one.
    func error(for account: AccountID, because cause: any Error) -> any Error {
        if cause is CancellationError || cause is TokenStoreError { return cause }
        let told = error(for: account)
        let isSame = cause.identityFailureClass == told.failureClass && !cause.asksForSignIn
        return isSame ? cause : told
    }

    /// The error for callers during the pause.
    /// - Parameter scopes: the scopes of the session.
    func error(for account: AccountID, _ scopes: Set<String> = []) -> SessionError {
        switch cause {
        case .stepUpNeeded: .stepUpNeeded(account, scopes: scopes, reason: message, nextAttempt: end)
        case .ambiguous: .refreshRefused(account, reason: message, nextAttempt: end)
        case .unreadable where persists: .clientRefused(account, reason: message, nextAttempt: end)
        case .misconfigured, .unusable, .tooLarge: .clientRefused(account, reason: message, nextAttempt: end)
        case .notSent, .inDoubt, .unreadable, .unread, .askedToWait:
            .refreshPostponed(account, reason: message, nextAttempt: end)
        }
    }
}
