/// Why there is no access token for an account.
public enum SessionError: IdentityFailure, Equatable {
    /// Nobody is signed in under this account.
    case notSignedIn(AccountID)
    /// The backend ended the session; the text says how it was learnt.
    case ended(AccountID, reason: String)
    /// The access token has expired and the backend gave nothing to renew it with.
    case cannotRenew(AccountID)
    /// The session does not carry these scopes; ask with `requestAuthorization`.
    case insufficientScope(AccountID, missing: Set<String>)
    /// Somebody else, perhaps another process, is renewing the session and did not finish in time.
    case renewalInProgress(AccountID)

    /// Stable code.
    public var failureCode: String {
        switch self {
        case .notSignedIn: "not_signed_in"
        case .ended: "session_ended"
        case .cannotRenew: "session_cannot_renew"
        case .insufficientScope: "insufficient_scope"
        case .renewalInProgress: "renewal_in_progress"
        }
    }

    /// Only waiting for somebody else's renewal is transient.
    public var failureClass: FailureClass {
        switch self {
        case .renewalInProgress: .transient
        case .notSignedIn, .ended, .cannotRenew, .insufficientScope: .definitive
        }
    }

    /// What happened and what to do.
    public var message: String {
        switch self {
        case .notSignedIn(let account):
            "Nobody is signed in as \(account). Sign in first."
        case .ended(let account, let reason):
            "The session of \(account) has ended: \(reason) Sign in again."
        case .cannotRenew(let account):
            "The session of \(account) has expired and cannot be renewed. Sign in again."
        case .insufficientScope(let account, let missing):
            "The session of \(account) lacks \(missing.sorted().joined(separator: ", ")). Request authorization for it."
        case .renewalInProgress(let account):
            "The session of \(account) is being renewed elsewhere and that takes too long. Try again."
        }
    }
}
