import Foundation

/// Why a refresh token is not sent again for a while. It is stored with the refresh intent, so that all processes of the
/// store keep to it, and a second response can be told from the first.
struct RefreshPause: Codable, Equatable {
    /// Failures that postpone the next refresh.
    enum Cause: String, Codable {
        /// No byte of the request left.
        case notSent
        /// The request was sent, and its outcome is unknown.
        case inDoubt
        /// The request was sent, and its response has no token that can be read.
        case unreadable
        /// The request was sent, and its response was larger than the limit.
        case tooLarge
        /// Something in front of the server responded, or the server did not look at the token.
        case unread
        /// The server asked to wait.
        case askedToWait
        /// The session may have ended. The same response after the pause suspends it.
        case ambiguous
        /// The response had a new refresh token beside an access token that must not be used.
        case unusable
        /// The client is refused, not the session.
        case misconfigured
        /// The request is refused, such as for a scope, and not the session.
        case stepUpNeeded
    }

    let cause: Cause
    /// Distinguishes responses, such as by status and error code.
    let kind: String
    /// The text for a person.
    let message: String
    /// How many of the same cause came one after the other.
    let count: Int
    /// When the first response of this kind came, by this machine's clock; `nil` where others came between.
    private let firstAt: Date?
    /// When the request ended, by this machine's clock.
    let since: Date
    /// When the token may be sent again, by this machine's clock.
    private let until: Date
    /// When a mistake in the configuration was last reported, by this machine's clock.
    let reportedAt: Date

    /// The longest pause, whatever a server asks for.
    static let longest = Duration.seconds(3600)
    /// How long the same response must come that cannot be read, until the configuration is said to be wrong.
    private static let persistence = Duration.seconds(60)
    /// How long a mistake in the configuration is not reported again.
    static let silence = Duration.seconds(3600)

    /// - Parameters:
    ///   - advice: what callers within the pause are told besides the error.
    ///   - length: how long the server asked to wait; `nil` when it did not say.
    ///   - policy: whether the token may be sent again at all.
    ///   - earlier: the pause before.
    init(
        _ cause: Cause, _ error: any Error, kind: String? = nil, advice: String? = nil, length: Duration? = nil,
        policy: ReplayPolicy, at now: Date, after earlier: RefreshPause?
    ) {
        self.cause = cause
        let kind = kind ?? (error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))"
        self.kind = kind
        message = [error.scrubbedMessage, advice].compactMap { $0 }.joined(separator: " ")
        let before = earlier.flatMap { $0.cause == cause ? $0 : nil }
        // The number comes from a file, which may hold any number.
        count = min(max(before?.count ?? 0, 0), 1000) + 1
        since = now
        let isDefinitive = cause == .unreadable && error.identityFailureClass == .definitive
        firstAt = isDefinitive ? .distantPast : before.flatMap { $0.kind == kind ? $0.firstAt : nil } ?? now
        // A server that asks for no time at all must not be asked at once by everybody.
        let asked = length.flatMap { $0 < .seconds(1) ? nil : $0 }
        until = now + min(asked ?? Self.length(of: cause, count, policy), Self.longest).timeInterval
        let reported = before.flatMap { cause == .misconfigured ? $0.reportedAt : nil }
        reportedAt = reported.flatMap { $0.isWithin(Self.silence, before: now) ? $0 : nil } ?? now
    }

    /// Shortens the pause to two seconds for a person who asks for another attempt; a pause that the server asked for
    /// stays.
    func shortened(at now: Date) -> RefreshPause {
        let end = now + 2
        guard [.notSent, .inDoubt, .unreadable, .unread].contains(cause), until > end else { return self }
        return RefreshPause(self, until: end)
    }

    /// Moves the pause to a clock that is ahead by `seconds`.
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

    /// 1, 2, 4, … seconds, each up to a quarter shorter or longer, so that machines do not come back at the same time.
    private static func spread(_ count: Int, longest: Double) -> Duration {
        .seconds(min(Double(1 << min(count - 1, 6)), longest) * Double.random(in: 0.75...1.25))
    }

    /// Whether the token is not to be sent at `now`. A pause of a clock that was set back does not count.
    func holds(at now: Date) -> Bool {
        now < end && since <= now
    }

    /// When the token may be sent again. The file may hold any date.
    private var end: Date { min(until, since + Self.longest.timeInterval) }

    /// Whether this response says the same as `earlier`, after its pause.
    func confirms(_ earlier: RefreshPause?) -> Bool {
        guard let earlier, cause == earlier.cause, kind == earlier.kind else { return false }
        return since >= earlier.end
    }

    /// Whether the same response came for a minute, so that it is no passing fault.
    private var persists: Bool { firstAt.map { !$0.isWithin(Self.persistence, before: since) } ?? false }

    /// Whether this is the first report of its kind within an hour.
    var isToBeReported: Bool { cause == .misconfigured && reportedAt == since }

    /// The error for the caller whose attempt has failed: `cause`, unless callers within the pause are told otherwise.
    func error(for account: AccountID, because cause: any Error) -> any Error {
        if cause is CancellationError || cause is TokenStoreError { return cause }
        let told = error(for: account)
        let isSame = cause.identityFailureClass == told.failureClass && !cause.asksForSignIn
        return isSame ? cause : told
    }

    /// The error for callers until the token is sent again.
    /// - Parameter scopes: those of the session.
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
