/// A change of who is signed in.
public enum IdentityEvent: Sendable, Equatable {
    /// The account has become the active one.
    case signedIn(AccountID)
    /// The account has become the active one because the session of another account cannot be used; see
    /// ``/IdentityCore/SessionEndPolicy/fallBack``.
    case fellBack(AccountID, SessionFallback)
    /// The session of the active account has ended. No account is active until the app or the user chooses one.
    case sessionEnded(AccountID, reason: SessionEndReason)
    /// The session of the active account belongs to another configuration, and is kept for it. No account is active until
    /// the app or the user chooses one.
    case belongsElsewhere(AccountID, reason: String)
    /// The session of the active account is suspended and needs a new sign-in. The account stays active, and its tokens
    /// are kept; the next ``signedIn(_:)`` ends the suspension.
    case suspended(AccountID, Suspension)
    /// No account is active now.
    case signedOut
    /// Other providers are in use now.
    case configurationChanged(ConfigurationChange)
    /// A new configuration cannot be used, for this reason. The former one stays in use.
    case configurationRejected(String)

    /// The result of a look-up as an event.
    init(_ lookup: AccountLookup) {
        self =
            switch lookup {
            case .found(let account): .signedIn(account)
            case .suspended(let account, let suspension): .suspended(account, suspension)
            case .fallback(let account, let fallback): .fellBack(account, fallback)
            case .absent(let reason): reason.sessionError.flatMap(IdentityEvent.init) ?? .signedOut
            }
    }

    /// The event that corresponds to an error; `nil` when it says nothing about who is signed in.
    init?(_ error: SessionError) {
        switch error {
        case .ended(let account, let reason): self = .sessionEnded(account, reason: reason)
        case .belongsElsewhere(let account, let reason): self = .belongsElsewhere(account, reason: reason)
        case .suspended(let account, let suspension): self = .suspended(account, suspension)
        case .notSignedIn, .cannotRefresh, .insufficientScope, .refreshInProgress, .refreshPostponed, .refreshRefused,
            .clientRefused, .stepUpNeeded, .resourceNotGranted:
            return nil
        }
    }

    package var activeAccount: AccountID? {
        switch self {
        case .signedIn(let account), .fellBack(let account, _), .suspended(let account, _): account
        case .sessionEnded, .belongsElsewhere, .signedOut, .configurationChanged, .configurationRejected: nil
        }
    }

    /// Whether the fallback account is active for one look-up only.
    var isForNow: Bool {
        if case .fellBack(_, let fallback) = self { fallback.isForNow } else { false }
    }

    /// Whether the event says nothing new after `former`. Repeated refusals of the server are one suspension.
    func repeats(_ former: IdentityEvent) -> Bool {
        guard case .suspended(let account, let suspension) = self, case .suspended(account, let known) = former else {
            return self == former
        }
        return known.since == suspension.since
    }

    /// The account of the event, also one without a session.
    var account: AccountID? {
        switch self {
        case .sessionEnded(let account, _), .belongsElsewhere(let account, _): account
        default: activeAccount
        }
    }
}
