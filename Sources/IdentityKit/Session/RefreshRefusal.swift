import Foundation

/// An answer that turned a refresh away without ending the session: it is remembered with the note of the request, so that
/// no process of the store asks again at once, and a second answer can be told from a first.
struct RefreshRefusal: Codable, Equatable {
    /// What the answer can mean.
    enum Meaning: String, Codable {
        /// The session may be over. It is when the same answer comes again after a pause.
        case ambiguous
        /// The client is refused, not the session.
        case misconfigured
    }

    let meaning: Meaning
    /// Tells one kind of answer from another.
    let kind: String
    /// What to tell a person.
    let message: String
    /// When it came, on this machine's clock.
    let receivedAt: Date
    /// When a mistake in the configuration was last reported, on this machine's clock.
    let reportedAt: Date

    /// How long the token is not sent again, in seconds.
    static let pause: TimeInterval = 30
    /// How long a mistake in the configuration is not reported again, in seconds.
    static let silence: TimeInterval = 3600

    init(
        _ meaning: Meaning, _ error: any Error, kind: String? = nil, at now: Date, after earlier: RefreshRefusal?
    ) {
        self.meaning = meaning
        self.kind = kind ?? (error as? any IdentityFailure)?.failureCode ?? "\(type(of: error))"
        message = error.scrubbedMessage
        receivedAt = now
        reportedAt = earlier?.wasReported(before: now) == true ? earlier?.reportedAt ?? now : now
    }

    /// Whether the token should rest at `now`. A clock that was set back answers no.
    func pauses(at now: Date) -> Bool {
        let age = now.timeIntervalSince(receivedAt)
        return age >= 0 && age < Self.pause
    }

    /// Whether this answer, after `earlier` and a pause, ends the session.
    func confirms(_ earlier: RefreshRefusal?) -> Bool {
        guard let earlier, meaning == .ambiguous, earlier.meaning == .ambiguous, kind == earlier.kind else {
            return false
        }
        return receivedAt.timeIntervalSince(earlier.receivedAt) >= Self.pause
    }

    /// Whether this is the first report of its kind within an hour.
    var isToBeReported: Bool { meaning == .misconfigured && reportedAt == receivedAt }

    /// What a caller is told while the token rests.
    func error(for account: AccountID) -> SessionError {
        switch meaning {
        case .ambiguous: .refreshRefused(account, reason: message)
        case .misconfigured: .clientRefused(account, reason: message)
        }
    }

    private func wasReported(before now: Date) -> Bool {
        let age = now.timeIntervalSince(reportedAt)
        return meaning == .misconfigured && age >= 0 && age < Self.silence
    }
}
