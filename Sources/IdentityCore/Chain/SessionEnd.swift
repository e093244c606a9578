/// A chain's treatment of an ended session of the chosen account.
public enum SessionEndPolicy: String, Sendable, Codable, CaseIterable {
    /// The chain reports the end of the session, in every process and after every restart, until the app or the user
    /// decides: by signing in, selecting another account, or signing out of the ended one. So the user never gets another
    /// account without noticing.
    case ask
    /// The next provider is tried, and every result says which account it is a fallback for. For programs without a user. So
    /// it is, for one look-up, while the session needs its person and none of its access tokens works.
    case fallBack
}

/// Says that an account is active only because the session of another one is of no use.
public struct SessionFallback: Sendable, Codable, Hashable {
    /// The account whose session is of no use.
    public let from: AccountID
    /// The event that made its session unusable.
    public let cause: Cause
    /// The reason for that.
    public let reason: SessionEndReason

    /// Events that make a session unusable.
    public enum Cause: String, Sendable, Codable, CaseIterable {
        /// The session has ended. The fallback stays until the user decides.
        case ended
        /// The session belongs to another configuration. The fallback is for one look-up: the account stays the chosen one.
        case belongsElsewhere
        /// The session needs its person, and none of its access tokens works. The fallback is for one look-up: the account
        /// stays the chosen one, and is back once its server takes the refresh token again.
        case suspended
    }

    package init(from: AccountID, reason: SessionEndReason, cause: Cause = .ended) {
        self.from = from
        self.reason = reason
        self.cause = cause
    }

    /// The fallback for the active account; `nil` where `absence` is not about that.
    init?(_ absence: AbsenceReason) {
        switch absence {
        case .activeSessionEnded(let account, let reason): self.init(from: account, reason: reason)
        case .activeBelongsElsewhere(let account, let reason):
            self.init(from: account, reason: SessionEndReason(reason), cause: .belongsElsewhere)
        default: return nil
        }
    }

    /// The fallback for an account that needs its person.
    init(from account: AccountID, _ suspension: Suspension) {
        self.init(from: account, reason: SessionEndReason(suspension.reason), cause: .suspended)
    }

    /// Whether it is for one look-up, because the session may be of use at the next.
    package var isForNow: Bool { cause != .ended }

    private enum CodingKeys: CodingKey {
        case from, reason, cause
    }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        from = try container.decode(AccountID.self, forKey: .from)
        reason = SessionEndReason(try container.decode(String.self, forKey: .reason))
        cause = try container.decodeIfPresent(Cause.self, forKey: .cause) ?? .ended
    }

    /// Writes `from`, `reason`, and the `cause` of a session that has not ended.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(from, forKey: .from)
        try container.encode(reason.text, forKey: .reason)
        if cause != .ended { try container.encode(cause, forKey: .cause) }
    }
}

extension SessionFallback: CustomStringConvertible {
    /// The fallback as part of a sentence.
    public var description: String {
        let session = "instead of \(from), whose session"
        return switch cause {
        case .ended: reason.clause(session)
        case .belongsElsewhere: "\(session) cannot be used here: \(reason)"
        case .suspended: "\(session) needs a sign-in: \(reason)"
        }
    }
}
