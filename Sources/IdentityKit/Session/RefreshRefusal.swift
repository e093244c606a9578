import Foundation

/// An error response to a refresh that did not end the session. It is stored with the refresh intent, so that no process
/// sends the token again at once, and a second response can be told from the first.
struct RefreshRefusal: Codable, Equatable {
    /// What the response can mean.
    enum Meaning: String, Codable {
        /// The session may have ended. The same response after a pause confirms it.
        case ambiguous
        /// The client is refused, not the session.
        case misconfigured
    }

    let meaning: Meaning
    /// Distinguishes responses, such as by status and error code.
    let kind: String
    /// The text for a person.
    let message: String
    /// When it was received, by this machine's clock.
    let receivedAt: Date
    /// When a mistake in the configuration was last reported, by this machine's clock.
    let reportedAt: Date

    /// How long the token is not sent again.
    static let pause = Duration.seconds(30)
    /// How long a mistake in the configuration is not reported again.
    static let silence = Duration.seconds(3600)

    init(
        _ meaning: Meaning, _ error: any Error, kind: String? = nil, at now: Date, after earlier: RefreshRefusal?
    ) {
        self.meaning = meaning
        self.kind = kind ?? (error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))"
        message = error.scrubbedMessage
        receivedAt = now
        let reported = earlier.flatMap { $0.meaning == .misconfigured ? $0.reportedAt : nil }
        reportedAt = reported.flatMap { $0.isWithin(Self.silence, before: now) ? $0 : nil } ?? now
    }

    /// Whether the token is not to be sent at `now`.
    func pauses(at now: Date) -> Bool { receivedAt.isWithin(Self.pause, before: now) }

    /// Whether this response, after `earlier` and a pause, ends the session.
    func confirms(_ earlier: RefreshRefusal?) -> Bool {
        guard let earlier, meaning == .ambiguous, earlier.meaning == .ambiguous, kind == earlier.kind else {
            return false
        }
        return receivedAt.timeIntervalSince(earlier.receivedAt) >= Self.pause.timeInterval
    }

    /// Whether this is the first report of its kind within an hour.
    var isToBeReported: Bool { meaning == .misconfigured && reportedAt == receivedAt }

    /// The error for callers until the token is sent again.
    func error(for account: AccountID) -> SessionError {
        switch meaning {
        case .ambiguous: .refreshRefused(account, reason: message)
        case .misconfigured: .clientRefused(account, reason: message)
        }
    }
}
