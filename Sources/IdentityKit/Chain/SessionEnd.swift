/// What a chain does when the session of the chosen account has ended.
public enum SessionEndPolicy: String, Sendable, Codable, CaseIterable {
    /// The chain reports the end of the session, in every process and after every restart, until the app or the user
    /// decides: by signing in, selecting another account, or signing out of the ended one. So the user never gets another
    /// account without noticing.
    case ask
    /// The next provider is tried, and every result says which account it is a fallback for. For programs without a user.
    case fallBack
}

/// Says that an account is active only because the session of another one has ended.
public struct SessionFallback: Sendable, Codable, Hashable {
    /// The account whose session has ended.
    public let from: AccountID
    /// Why its session has ended.
    public let reason: SessionEndReason

    /// A fallback.
    public init(from: AccountID, reason: SessionEndReason) {
        self.from = from
        self.reason = reason
    }

    private enum CodingKeys: CodingKey {
        case from, reason, isKept
    }

    /// Reads what ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        from = try container.decode(AccountID.self, forKey: .from)
        reason = SessionEndReason(
            try container.decode(String.self, forKey: .reason),
            isKept: try container.decodeIfPresent(Bool.self, forKey: .isKept) ?? false)
    }

    /// Writes `from`, `reason`, and `isKept` for a session that is kept.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(from, forKey: .from)
        try container.encode(reason.text, forKey: .reason)
        if reason.isKept { try container.encode(true, forKey: .isKept) }
    }
}

extension SessionFallback: CustomStringConvertible {
    /// The fallback as part of a sentence.
    public var description: String {
        reason.clause("instead of \(from), whose session")
    }
}
