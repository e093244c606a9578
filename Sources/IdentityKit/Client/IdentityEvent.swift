/// A change of who is signed in.
public enum IdentityEvent: Sendable, Equatable {
    /// This account is the active one now.
    case signedIn(AccountID)
    /// This account is the active one now because the session of another has ended; see ``SessionEndPolicy/fallBack``.
    case fellBack(AccountID, SessionFallback)
    /// The session of the active account has ended. No account is active until the app or the user chooses one.
    case sessionEnded(AccountID, reason: SessionEndReason)
    /// No account is active now.
    case signedOut
    /// Other providers are in use now.
    case configurationChanged(ConfigurationChange)
    /// A new configuration cannot be used, for this reason. The old one stays in use.
    case configurationRejected(String)

    /// The result of a look-up as an event.
    init(_ lookup: AccountLookup) {
        self =
            switch lookup {
            case .found(let account): .signedIn(account)
            case .fallback(let account, let fallback): .fellBack(account, fallback)
            case .none(.activeSessionEnded(let account, let reason)): .sessionEnded(account, reason: reason)
            case .none: .signedOut
            }
    }

    /// The account that is active after the event.
    var activeAccount: AccountID? {
        switch self {
        case .signedIn(let account), .fellBack(let account, _): account
        case .sessionEnded, .signedOut, .configurationChanged, .configurationRejected: nil
        }
    }

    /// The account of the event, also one whose session has ended.
    var account: AccountID? {
        if case .sessionEnded(let account, _) = self { account } else { activeAccount }
    }
}
