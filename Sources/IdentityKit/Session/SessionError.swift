/// Why there is no access token for an account.
public enum SessionError: IdentityFailure, Equatable {
    /// Nobody is signed in under this account.
    case notSignedIn(AccountID)
    /// The session is over for whoever asks: the backend ended it, or it is another configuration's (``SessionOrigin``).
    /// The text says how that is known.
    case ended(AccountID, reason: SessionEndReason)
    /// The access token has expired, or was refused, and the backend gave nothing to refresh it with.
    case cannotRefresh(AccountID)
    /// The session does not carry these scopes; ask with `requestAuthorization`.
    case insufficientScope(AccountID, missing: Set<String>)
    /// Somebody else, perhaps another process, is refreshing the session and did not finish in time.
    case refreshInProgress(AccountID)

    /// The backend turned the refresh away a moment ago, in words that may mean that the session is over. It is asked
    /// again shortly.
    case refreshRefused(AccountID, reason: String)
    /// The backend refuses the client and not the session: a mistake in the configuration. The session stays.
    case clientRefused(AccountID, reason: String)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .notSignedIn: "not_signed_in"
        case .ended: "session_ended"
        case .cannotRefresh: "session_cannot_refresh"
        case .insufficientScope: "insufficient_scope"
        case .refreshInProgress: "refresh_in_progress"
        case .refreshRefused: "refresh_refused"
        case .clientRefused: "client_refused"
        }
    }

    /// What ends by itself, or may, is transient.
    public var failureClass: FailureClass {
        switch self {
        case .refreshInProgress, .refreshRefused: .transient
        case .notSignedIn, .ended, .cannotRefresh, .insufficientScope, .clientRefused: .definitive
        }
    }

    /// What happened and what to do.
    public var message: String {
        switch self {
        case .notSignedIn(let account):
            "Nobody is signed in as \(account). Sign in first."
        case .ended(let account, let reason):
            reason.message("The session of \(account)")
        case .cannotRefresh(let account):
            "The access token of \(account) has expired or was refused, and there is nothing to refresh it with. Sign in again."
        case .insufficientScope(let account, let missing):
            "The session of \(account) lacks \(missing.sorted().joined(separator: ", ")). Request authorization for it."
        case .refreshInProgress(let account):
            "The session of \(account) is being refreshed elsewhere and that takes too long. Try again."
        case .refreshRefused(let account, let reason):
            "The server did not refresh the session of \(account) and may have ended it: \(reason) It is asked again "
                + "in half a minute."
        case .clientRefused(let account, let reason):
            "The server refuses this client, so the session of \(account) cannot be refreshed: \(reason) Check the "
                + "configuration. The session is kept."
        }
    }
}
