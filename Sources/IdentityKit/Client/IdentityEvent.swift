/// What a client tells about who is signed in.
public enum IdentityEvent: Sendable, Equatable {
    /// This account is the active one now.
    case signedIn(AccountID)
    /// This account is the active one now because the session of another has ended; see ``SessionEndPolicy/fallBack``.
    case fellBack(AccountID, SessionFallback)
    /// The session of the active account has ended, for this reason. Nobody is active until the app or the person decides
    /// who is next.
    case sessionEnded(AccountID, reason: SessionEndReason)
    /// Nobody is active now.
    case signedOut
    /// Other providers are in use now.
    case configurationChanged(ConfigurationChange)
    /// A new configuration cannot be used, for this reason; the old one stays.
    case configurationRejected(String)

    /// What a look for the active account found.
    init(_ lookup: AccountLookup) {
        self =
            switch lookup {
            case .found(let account): .signedIn(account)
            case .fallback(let account, let fallback): .fellBack(account, fallback)
            case .none(.activeSessionEnded(let account, let reason)): .sessionEnded(account, reason: reason)
            case .none: .signedOut
            }
    }

    /// The account that is active, as far as the event says.
    var activeAccount: AccountID? {
        switch self {
        case .signedIn(let account), .fellBack(let account, _): account
        case .sessionEnded, .signedOut, .configurationChanged, .configurationRejected: nil
        }
    }

    /// The account that the event is about, also one whose session has ended.
    var account: AccountID? {
        if case .sessionEnded(let account, _) = self { account } else { activeAccount }
    }
}
