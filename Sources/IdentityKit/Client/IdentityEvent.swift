/// A change of who is signed in, or of the configuration.
public enum IdentityEvent: Sendable, Equatable {
    /// The account has become the active one.
    case signedIn(AccountID)
    /// The account has become the active one because the session of another account cannot be used; see
    /// ``/IdentityCore/SessionEndPolicy/fallBack``.
    case fellBack(AccountID, SessionFallback)
    /// The session of the active account has ended. No account is active until the app or the user chooses one, or until
    /// the next event ``fellBack(_:_:)`` reports a fallback.
    case sessionEnded(AccountID, reason: String)
    /// The session of the active account belongs to another configuration, which the reason names. The session stays in
    /// the store for that configuration. No account is active until the app or the user chooses one, or until an event
    /// ``fellBack(_:_:)`` reports a fallback.
    case belongsElsewhere(AccountID, reason: String)
    /// The session of the active account is suspended, usually until a new sign-in. The account stays active, and its
    /// tokens are kept. The next ``signedIn(_:)`` ends the suspension.
    case suspended(AccountID, Suspension)
    /// No account is active now, for example because nobody has signed in or the active account was signed out.
    case signedOut
    /// The client uses a new configuration now. The associated value describes how it differs from the former one.
    case configurationChanged(ConfigurationChange)
    /// A configuration that ``IdentityClient/follow(_:profile:every:)`` has read cannot be used. The text is the error's
    /// message. The former configuration stays in use.
    case configurationRejected(String)

    /// Creates the event for the result of a look-up. An absence that no ``/IdentityCore/SessionError`` explains is
    /// ``signedOut``.
    init(_ lookup: AccountLookup) {
        self =
            switch lookup {
            case .found(let account): .signedIn(account)
            case .suspended(let account, let suspension): .suspended(account, suspension)
            case .fallback(let account, let fallback): .fellBack(account, fallback)
            case .absent(let reason): reason.sessionError.flatMap(IdentityEvent.init) ?? .signedOut
            }
    }

    /// Creates the event for a session that has ended, belongs to another configuration, or is suspended; `nil` for every
    /// other error.
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

    /// Whether the account is a fallback that is active for one look-up only.
    var isForNow: Bool {
        if case .fellBack(_, let fallback) = self { fallback.isForNow } else { false }
    }

    /// Whether the event is equal to `former`, or about the same suspension of the same account. Two suspensions with
    /// the same start are the same suspension, even if a later refusal has changed the reason.
    func repeats(_ former: IdentityEvent) -> Bool {
        guard case .suspended(let account, let suspension) = self, case .suspended(account, let known) = former else {
            return self == former
        }
        return known.since == suspension.since
    }

    /// The account that the event names, even if its session has ended or belongs to another configuration.
    var account: AccountID? {
        switch self {
        case .sessionEnded(let account, _), .belongsElsewhere(let account, _): account
        default: activeAccount
        }
    }
}
