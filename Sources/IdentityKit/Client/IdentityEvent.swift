/// A change of who is signed in.
public enum IdentityEvent: Sendable, Equatable {
    /// This account is the active one now.
    case signedIn(AccountID)
    /// This account is the active one now because the session of another has ended; see ``SessionEndPolicy/fallBack``.
    case fellBack(AccountID, SessionFallback)
    /// The session of the active account has ended. No account is active until the app or the user chooses one.
    case sessionEnded(AccountID, reason: SessionEndReason)
    /// The session of the active account needs its person. It stays the active one, and its tokens are kept; the next
    /// ``signedIn(_:)`` ends that.
    case suspended(AccountID, Suspension)
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
            case .suspended(let account, let suspension): .suspended(account, suspension)
            case .fallback(let account, let fallback): .fellBack(account, fallback)
            case .none(.activeSessionEnded(let account, let reason)): .sessionEnded(account, reason: reason)
            case .none: .signedOut
            }
    }

    /// The account that is active after the event.
    var activeAccount: AccountID? {
        switch self {
        case .signedIn(let account), .fellBack(let account, _), .suspended(let account, _): account
        case .sessionEnded, .signedOut, .configurationChanged, .configurationRejected: nil
        }
    }

    /// Whether it says the same as `former`: a suspension is one however often the server is asked meanwhile.
    func repeats(_ former: IdentityEvent) -> Bool {
        guard case .suspended(let account, let suspension) = self, case .suspended(account, let known) = former else {
            return self == former
        }
        return known.since == suspension.since
    }

    /// The account of the event, also one whose session has ended.
    var account: AccountID? {
        if case .sessionEnded(let account, _) = self { account } else { activeAccount }
    }
}
