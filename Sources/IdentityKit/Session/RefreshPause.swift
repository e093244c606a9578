import Foundation

/// A time during which a refresh token is not sent again, with the reason. The pause is stored in the ``RefreshIntent``,
/// so that every process that uses the store observes it and recognizes a repeated response.
struct RefreshPause: Codable, Equatable {
    /// Failures that postpone the next refresh.
    enum Cause: String, Codable {
        /// No byte of the request was sent.
        case notSent
        /// The request was sent, and its outcome is unknown.
        case inDoubt
        /// The response reported success, but contained no readable token.
        case unreadable
        /// The response was larger than the limit, so that its content is unknown.
        case tooLarge
        /// The token was not examined: a proxy or the like responded in place of the server, or the server requires the
        /// person to sign in.
        case unread
        /// The server demanded a pause and named its length.
        case askedToWait
        /// The response may mean that the session has ended. If the same response comes again after the pause, the
        /// session is suspended.
        case ambiguous
        /// The response contained a new refresh token, but an access token that must not be used.
        case unusable
        /// The server refused the client, not the session.
        case misconfigured
        /// The server refused what the request asked for, such as its scopes, but not the session.
        case stepUpNeeded
    }

    let cause: Cause
    /// Distinguishes responses with the same cause, such as by status and error code.
    let kind: String
    /// The reason, in the error that callers get during the pause.
    let message: String
    /// Number of consecutive pauses with the same cause, including this one.
    let count: Int
    /// When the first of the consecutive failures with this cause and kind occurred, by this machine's clock. For an
    /// unreadable response with a definitive error, the distant past: such a response cannot become readable later, so
    /// the failure counts as a mistake in the configuration at once. `nil` if the stored pause has no such time.
    private let firstAt: Date?
    /// When the request ended, by this machine's clock.
    let since: Date
    /// End of the pause as it was stored, by this machine's clock.
    private let until: Date
    /// When ``Cause/misconfigured`` was last reported, by this machine's clock; for any other cause, when the request
    /// ended.
    let reportedAt: Date

    /// The longest pause, whatever a server asks for.
    static let longest = Duration.seconds(3600)
    /// How long an unreadable response must keep coming before it counts as a mistake in the configuration.
    private static let persistence = Duration.seconds(60)
    /// Minimum time between two reports of a mistake in the configuration.
    static let silence = Duration.seconds(3600)

    /// Creates the pause after a failed refresh.
    /// - Parameters:
    ///   - cause: the cause, on which the length depends unless the server demanded one.
    ///   - error: the error, whose text becomes ``message``.
    ///   - kind: distinguishes responses with the same cause; by default the error's failure code, or else its type.
    ///   - advice: a sentence that is added to ``message``.
    ///   - length: the pause that the server demanded; `nil` for none. A demand of less than a second is ignored.
    ///   - policy: the policy of the provider. With ``ReplayPolicy/never`` and ``ReplayPolicy/signInInstead``, a pause after an
    ///     unknown outcome is at least two seconds long.
    ///   - now: the time when the request ended.
    ///   - earlier: the previous pause of the same refresh token, whatever its cause; `nil` for none.
    init(
        _ cause: Cause, _ error: any Error, kind: String? = nil, advice: String? = nil, length: Duration? = nil,
        policy: ReplayPolicy, at now: Date, after earlier: RefreshPause?
    ) {
        self.cause = cause
        let kind = kind ?? (error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))"
        self.kind = kind
        message = [error.scrubbedMessage, advice].compactMap { $0 }.joined(separator: " ")
        let before = earlier.flatMap { $0.cause == cause ? $0 : nil }
        // Limit the count, because a damaged file may contain any number.
        count = min(max(before?.count ?? 0, 0), 1000) + 1
        since = now
        let isDefinitive = cause == .unreadable && error.identityFailureClass == .definitive
        firstAt = isDefinitive ? .distantPast : before.flatMap { $0.kind == kind ? $0.firstAt : nil } ?? now
        // If the server demands less than a second, use the usual pause, so that not all clients ask again at once.
        let asked = length.flatMap { $0 < .seconds(1) ? nil : $0 }
        until = now + min(asked ?? Self.length(of: cause, count, policy), Self.longest).timeInterval
        let reported = before.flatMap { cause == .misconfigured ? $0.reportedAt : nil }
        reportedAt = reported.flatMap { $0.isWithin(Self.silence, before: now) ? $0 : nil } ?? now
    }

    /// Returns the pause with its end at most two seconds after `now`, because a person asks for another attempt. A pause
    /// with a cause other than `notSent`, `inDoubt`, `unreadable` and `unread` is returned unchanged. For example, a pause
    /// that the server demanded keeps its end.
    func shortened(at now: Date) -> RefreshPause {
        let end = now + 2
        guard [.notSent, .inDoubt, .unreadable, .unread].contains(cause), until > end else { return self }
        return RefreshPause(self, until: end)
    }

    /// Returns the pause with all its dates moved by `seconds`, to convert them to a clock that is `seconds` ahead.
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

    /// Returns 1, 2, 4, … seconds for the first, second, third, … pause, up to `longest`. The result then varies by up to a
    /// quarter, also beyond `longest`, so that machines do not ask again at the same time.
    private static func spread(_ count: Int, longest: Double) -> Duration {
        .seconds(min(Double(1 << min(count - 1, 6)), longest) * Double.random(in: 0.75...1.25))
    }

    /// Whether the pause applies at `now`. A pause that starts in the future is ignored, because the clock was set
    /// back.
    func holds(at now: Date) -> Bool {
        now < end && since <= now
    }

    /// End of the pause, at most ``longest`` after its start, because a damaged file may contain any date.
    private var end: Date { min(until, since + Self.longest.timeInterval) }

    /// Whether this pause has the same cause and kind as `earlier`, and its response came after the end of `earlier`.
    func confirms(_ earlier: RefreshPause?) -> Bool {
        guard let earlier, cause == earlier.cause, kind == earlier.kind else { return false }
        return since >= earlier.end
    }

    /// Whether the same response has come for at least a minute, so that it is no temporary fault.
    private var persists: Bool { firstAt.map { !$0.isWithin(Self.persistence, before: since) } ?? false }

    /// Whether the mistake in the configuration has to be reported, because it was not reported in the last hour.
    var isToBeReported: Bool { cause == .misconfigured && reportedAt == since }

    /// The error for the caller whose attempt failed. Usually, this is the error that callers get during the pause.
    /// `cause` is returned instead if it is a cancellation or an error of the store, or if it has the same failure
    /// class as the usual error and does not ask for a sign-in.
    func error(for account: AccountID, because cause: any Error) -> any Error {
        if cause is CancellationError || cause is TokenStoreError { return cause }
        let told = error(for: account)
        let isSame = cause.identityFailureClass == told.failureClass && !cause.asksForSignIn
        return isSame ? cause : told
    }

    /// The error for callers during the pause.
    /// - Parameter scopes: the scopes of the session, for ``Cause/stepUpNeeded``.
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
