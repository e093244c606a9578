/// An event of a chain, for logs, diagnosis and metrics.
package enum ChainEvent: Sendable {
    case attempt(ChainAttempt)
    /// The chosen account has changed, or no account is chosen any more.
    case selectionChanged(SelectionChange)
    /// The session of the chosen account has ended, and no other provider was tried; see ``SessionEndPolicy/ask``.
    case sessionEnded(AccountID, reason: String)
    /// The session of the chosen account belongs to another configuration, and no other provider was tried.
    case belongsElsewhere(AccountID, reason: String)
    case walkFailed(ChainError)
}

extension ChainEvent: CustomStringConvertible {
    /// The text to log. It contains no secret.
    package var description: String {
        switch self {
        case .attempt(let attempt): attempt.description
        case .selectionChanged(let change): change.description
        case .sessionEnded(let account, let reason): SessionError.ended(account, reason: reason).messageWithIdentifier
        case .belongsElsewhere(let account, let reason):
            SessionError.belongsElsewhere(account, reason: reason).messageWithIdentifier
        case .walkFailed(let error): error.message
        }
    }
}

/// A change of a chain's chosen account, reported after the new choice is stored.
package struct SelectionChange: Sendable {
    /// The account chosen before; `nil` for none.
    package let from: AccountID?
    /// The account chosen now; `nil` for none.
    package let to: AccountID?
    package let reason: Reason

    package init(from: AccountID?, to: AccountID?, reason: Reason) {
        (self.from, self.to, self.reason) = (from, to, reason)
    }

    /// Why the chosen account changed.
    package enum Reason: Sendable {
        /// A silent lookup found the account, and none was chosen before.
        case found
        case signedIn
        case signedOut
        case selected
        case noLongerSignedIn(AbsenceReason)
        /// The new account is a fallback for an account with an ended session; see ``SessionEndPolicy/fallBack``.
        case fellBack(SessionFallback)
        /// The provider now returns a different account.
        case replacedByProvider
        /// The provider is no longer part of the chain.
        case providerRemoved
    }
}

extension SelectionChange: CustomStringConvertible {
    package var description: String {
        "\(from?.id ?? "nobody") -> \(to?.id ?? "nobody"): \(reason)"
    }
}

extension SelectionChange.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .found: "found signed in"
        case .signedIn: "the user signed in"
        case .signedOut: "the user signed out"
        case .selected: "the app chose"
        case .noLongerSignedIn(let reason): "\(reason)"
        case .fellBack(let fallback): "fell back, \(fallback)"
        case .replacedByProvider: "the provider answers for another account"
        case .providerRemoved: "its provider is no longer configured"
        }
    }
}
