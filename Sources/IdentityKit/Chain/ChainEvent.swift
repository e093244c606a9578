/// What a chain tells about its work, as it happens: for logs, diagnosis and counters.
public enum ChainEvent: Sendable {
    /// A provider was asked and answered.
    case attempt(ChainAttempt)
    /// Another account is the chosen one now.
    case selectionChanged(SelectionChange)
    /// The session of the chosen account has ended, and nobody else was asked; see ``SessionEndPolicy/ask``.
    case sessionEnded(AccountID, reason: SessionEndReason)
    /// A walk ended in an error.
    case walkFailed(ChainError)

    /// The level to log the event at: `debug` for an attempt, `info` for a change of the chosen account, `warning` for a walk
    /// that failed or came to a session that has ended.
    public var level: EventLevel {
        switch self {
        case .attempt: .debug
        case .selectionChanged: .info
        case .sessionEnded, .walkFailed: .warning
        }
    }
}

extension ChainEvent: CustomStringConvertible {
    /// The text to log. It contains no secret.
    public var description: String {
        switch self {
        case .attempt(let attempt): attempt.description
        case .selectionChanged(let change): change.description
        case .sessionEnded(let account, let reason): SessionError.ended(account, reason: reason).message
        case .walkFailed(let error): error.message
        }
    }
}

/// The chosen account of a chain changed.
public struct SelectionChange: Sendable {
    /// The account chosen before.
    public let from: AccountID?
    /// The account chosen now; `nil` for none.
    public let to: AccountID?
    /// Why.
    public let reason: Reason

    /// Why a choice changed.
    public enum Reason: Sendable {
        /// None was chosen and a walk found the account.
        case found
        /// The user signed in.
        case signedIn
        /// The user signed out.
        case signedOut
        /// The app chose.
        case selected
        /// The provider has no account any more, for this reason.
        case noLongerSignedIn(AbsenceReason)
        /// The account stands in for another one, whose session has ended; see ``SessionEndPolicy/fallBack``.
        case fellBack(SessionFallback)
        /// The provider answers for another account now.
        case replacedByProvider
        /// The provider is not part of the chain any more.
        case providerRemoved
    }
}

extension SelectionChange: CustomStringConvertible {
    /// From, to and why.
    public var description: String {
        "\(from?.id ?? "nobody") -> \(to?.id ?? "nobody"): \(reason)"
    }
}

extension SelectionChange.Reason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .found: "found signed in"
        case .signedIn: "the user signed in"
        case .signedOut: "the user signed out"
        case .selected: "the app chose"
        case .noLongerSignedIn(let reason): "\(reason)"
        case .fellBack(let fallback): "fell back, \(fallback)"
        case .replacedByProvider: "the provider answers for another account"
        case .providerRemoved: "its provider is not configured any more"
        }
    }
}
