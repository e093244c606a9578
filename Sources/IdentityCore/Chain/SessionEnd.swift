/// Whether a chain keeps the chosen account when its session ends, or uses the account of another provider.
public enum SessionEndPolicy: String, Sendable, Codable, CaseIterable {
    /// The chain reports the end of the session, in every process and after every restart, until the app or the user
    /// decides. A sign-in, the selection of another account and a sign-out of the ended account are such decisions. So
    /// the user never gets another account without noticing.
    case ask
    /// The chain uses the account of another provider, and every lookup also reports the account that was replaced. Meant
    /// for programs without a user. A session that belongs to another configuration, or is suspended without a working
    /// access token, is replaced in the same way, but for one lookup at a time.
    case fallBack
}

/// Marks an account that is active only because the session of another account cannot be used.
public struct SessionFallback: Sendable, Codable, Hashable {
    /// The account whose session cannot be used.
    public let from: AccountID
    /// Why the session cannot be used.
    public var cause: Cause { storedCause ?? .ended }
    /// Details of the cause, in words for a person.
    public let reason: String
    /// The cause; `nil` for ``Cause/ended``, which is not stored.
    private let storedCause: Cause?

    /// Reasons for a fallback, which decide how long it lasts.
    public enum Cause: String, Sendable, Codable, CaseIterable {
        /// The session has ended. The fallback stays until the user decides.
        case ended
        /// The session belongs to another configuration. The fallback lasts for one lookup: the account of that session
        /// stays the chosen one.
        case belongsElsewhere
        /// The session is suspended, and none of its access tokens works. The fallback lasts for one lookup: the
        /// account of that session stays the chosen one, and is used again once its server accepts the refresh token.
        case suspended
    }

    package init(from: AccountID, reason: String, cause: Cause = .ended) {
        self.from = from
        self.reason = reason
        storedCause = cause == .ended ? nil : cause
    }

    /// Creates the fallback for the active account that `absence` names; `nil` when `absence` is not about the active
    /// account.
    init?(_ absence: AbsenceReason) {
        switch absence {
        case .activeSessionEnded(let account, let reason): self.init(from: account, reason: reason)
        case .activeBelongsElsewhere(let account, let reason):
            self.init(from: account, reason: reason, cause: .belongsElsewhere)
        default: return nil
        }
    }

    /// Creates the fallback for an account with a suspended session.
    init(from account: AccountID, _ suspension: Suspension) {
        self.init(from: account, reason: suspension.reason, cause: .suspended)
    }

    /// Whether the fallback lasts for one lookup only, because the session may work again at the next.
    package var isForNow: Bool { cause != .ended }

    private enum CodingKeys: String, CodingKey {
        case from, reason
        case storedCause = "cause"
    }
}

extension SessionFallback: CustomStringConvertible {
    /// A clause for messages, with the account whose session cannot be used and the reason.
    public var description: String {
        let session = "instead of \(from), whose session"
        return switch cause {
        case .ended: reason.clause(onEndOf: session)
        case .belongsElsewhere: "\(session) cannot be used here: \(reason)"
        case .suspended: "\(session) needs a sign-in: \(reason)"
        }
    }
}
