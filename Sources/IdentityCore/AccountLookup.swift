/// The result of looking up an account.
public enum AccountLookup: Sendable {
    /// The account is signed in, or it is a workload's, which nobody has to sign in to.
    case found(AccountID)
    /// The account is signed in, but its session needs a new sign-in. Its tokens are kept until then.
    case suspended(AccountID, Suspension)
    /// The account stands in for another one whose session has ended. Only a chain with ``SessionEndPolicy/fallBack``
    /// returns it.
    case fallback(AccountID, SessionFallback)
    case absent(AbsenceReason)

    /// The account that was found, whether its session is in order, suspended, or a fallback; `nil` without an account.
    public var account: AccountID? {
        switch self {
        case .found(let account), .suspended(let account, _), .fallback(let account, _): account
        case .absent: nil
        }
    }

    /// Why the session is suspended; `nil` when it is not.
    public var suspension: Suspension? {
        if case .suspended(_, let suspension) = self { suspension } else { nil }
    }

    /// The ended session that the account stands in for; `nil` when it is no fallback.
    public var fallback: SessionFallback? {
        if case .fallback(_, let fallback) = self { fallback } else { nil }
    }
}

/// Why a provider has no account.
public enum AbsenceReason: Sendable {
    case neverSignedIn
    case signedOut
    case sessionEnded(SessionEndReason)
    /// The session belongs to another configuration, which the text names. It is kept for that configuration.
    case belongsElsewhere(String)
    /// The session of the active account has ended, and the app or the user has not chosen another account yet; see
    /// ``SessionEndPolicy/ask``.
    case activeSessionEnded(AccountID, reason: SessionEndReason)
    /// The session of the active account belongs to another configuration, and the app or the user has not chosen another
    /// account yet.
    case activeBelongsElsewhere(AccountID, reason: String)
    /// A provider with only the three basic methods returned `nil`.
    case noAccount
    /// A provider with only the three basic methods may show a sign-in, so it is not tried silently.
    case mayShowSignIn
    /// The provider cannot show a sign-in here: it has neither a prompter nor a browser.
    case cannotShowSignIn
    /// The configuration lacks something, which the text names.
    case notConfigured(String)
    /// An override, such as a variable, excludes the provider.
    case excluded(String)
    /// The provider failed with an error that the app treats as "no account".
    case unavailable(String)
    /// No provider of a nested chain has an account.
    case chain([ChainAttempt])
}

extension AbsenceReason: CustomStringConvertible {
    /// The reason as part of a sentence.
    public var description: String {
        switch self {
        case .neverSignedIn: "nobody has signed in"
        case .signedOut: "the user signed out"
        case .sessionEnded(let detail): detail.clause("the session")
        case .belongsElsewhere(let reason): "the session cannot be used here: \(reason)"
        case .activeSessionEnded(let account, let reason): reason.clause("the session of \(account)")
        case .activeBelongsElsewhere(let account, let reason):
            "the session of \(account) cannot be used here: \(reason)"
        case .noAccount: "it has no account"
        case .mayShowSignIn: "it may show a sign-in, so it is asked only when nobody has an account"
        case .cannotShowSignIn: "it has no way to show a sign-in here"
        case .notConfigured(let gap): "not configured: \(gap)"
        case .excluded(let override): "excluded by \(override)"
        case .unavailable(let detail): "not available: \(detail)"
        case .chain(let attempts): attempts.summary
        }
    }
}

extension AbsenceReason {
    /// The reason as one about the active account; `nil` when the chain may use another account instead.
    func ofActive(_ account: AccountID) -> AbsenceReason? {
        switch self {
        case .sessionEnded(let reason): .activeSessionEnded(account, reason: reason)
        case .belongsElsewhere(let reason): .activeBelongsElsewhere(account, reason: reason)
        default: nil
        }
    }

    /// The error to throw to a caller that needs the active account, when that account has no session; otherwise `nil`.
    package var sessionError: SessionError? {
        switch self {
        case .activeSessionEnded(let account, let reason): .ended(account, reason: reason)
        case .activeBelongsElsewhere(let account, let reason): .belongsElsewhere(account, reason: reason)
        default: nil
        }
    }
}
