/// Why there is no access token for an account.
public enum SessionError: IdentityFailure, Equatable {
    /// This account is not signed in.
    case notSignedIn(AccountID)
    /// The session has ended, or belongs to another configuration; the reason says why.
    case ended(AccountID, reason: SessionEndReason)
    /// The access token has expired or was refused, and there is no refresh token.
    case cannotRefresh(AccountID)
    /// The session does not have these scopes; ask for them with `requestAuthorization`.
    case insufficientScope(AccountID, missing: Set<String>)
    /// Another task or process is refreshing the session and did not finish in time.
    case refreshInProgress(AccountID)
    /// The backend refused the refresh a moment ago, which may mean that the session has ended. The refresh is repeated
    /// shortly.
    case refreshRefused(AccountID, reason: String)
    /// The backend refuses the client, not the session: a mistake in the configuration. The session is kept.
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

    /// Transient when trying again later may succeed.
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
            "The server did not refresh the session of \(account) and may have ended it: \(reason) The refresh is "
                + "repeated in half a minute."
        case .clientRefused(let account, let reason):
            "The server refuses this client, so the session of \(account) cannot be refreshed: \(reason) Check the "
                + "configuration. The session is kept."
        }
    }
}
