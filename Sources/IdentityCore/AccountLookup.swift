/// The result of a lookup at an ``AccountProvider``: an account, or the reason why there is none.
public enum AccountLookup: Sendable {
    /// The account is signed in, or needs no sign-in, such as the account of a workload.
    case found(AccountID)
    /// The account is signed in, but its session is suspended: it cannot be refreshed, usually until a new sign-in. The
    /// tokens are kept.
    case suspended(AccountID, Suspension)
    /// The account is used in place of another account, because the other account's session cannot be used. Only
    /// ``SessionEndPolicy/fallBack`` leads to this result.
    case fallback(AccountID, SessionFallback)
    case absent(AbsenceReason)

    /// The account that was found, even if its session is suspended or the account is a fallback; `nil` for
    /// ``absent(_:)``.
    public var account: AccountID? {
        switch self {
        case .found(let account), .suspended(let account, _), .fallback(let account, _): account
        case .absent: nil
        }
    }

    /// The suspension that ``suspended(_:_:)`` reports; `nil` for every other case.
    package var suspension: Suspension? {
        if case .suspended(_, let suspension) = self { suspension } else { nil }
    }

    /// The fallback that ``fallback(_:_:)`` reports; `nil` for every other case.
    public var fallback: SessionFallback? {
        if case .fallback(_, let fallback) = self { fallback } else { nil }
    }
}

/// The reason why a provider or a chain has no account.
public enum AbsenceReason: Sendable {
    case neverSignedIn
    case signedOut
    /// The session has ended, for the reason that the text states.
    case sessionEnded(String)
    /// The session belongs to another configuration, which the text names. It is kept for that configuration.
    case belongsElsewhere(String)
    /// The session of the active account has ended, and the app or the user has not chosen another account yet; see
    /// ``SessionEndPolicy/ask``.
    case activeSessionEnded(AccountID, reason: String)
    /// The session of the active account belongs to another configuration, and the app or the user has not chosen another
    /// account yet.
    case activeBelongsElsewhere(AccountID, reason: String)
    /// A provider that implements only ``IdentityProvider`` returned `nil`.
    case noAccount
    /// A provider that implements only ``IdentityProvider`` may show a sign-in, so a silent lookup does not call it.
    case mayShowSignIn
    /// The provider shows no sign-in here, for example because it has no browser, or never asks a person.
    case cannotShowSignIn
    /// The provider lacks a setting, an environment variable or a file. The text is a clause, such as "API_TOKEN is not
    /// set".
    case notConfigured(String)
    /// A ``ProviderOverride`` excludes the provider. The text says who chose it: the app, or the environment variable with
    /// its value.
    case excluded(String)
    /// The provider failed with an error that ``IdentityProvider/treatingAsUnavailable(_:)`` turns into "no account".
    /// The text is the error's message, without secrets.
    case unavailable(String)
    /// No provider of a chain has an account. The attempts contain the reason of each provider.
    case chain([ChainAttempt])
}

extension AbsenceReason: CustomStringConvertible {
    /// A clause for messages, such as "the user signed out".
    public var description: String {
        switch self {
        case .neverSignedIn: "nobody has signed in"
        case .signedOut: "the user signed out"
        case .sessionEnded(let reason): reason.clause(onEndOf: "the session")
        case .belongsElsewhere(let reason): "the session cannot be used here: \(reason)"
        case .activeSessionEnded(let account, let reason): reason.clause(onEndOf: "the session of \(account)")
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
    /// The reason to report when `account` is the active one: ``activeSessionEnded(_:reason:)`` for
    /// ``sessionEnded(_:)``, and ``activeBelongsElsewhere(_:reason:)`` for ``belongsElsewhere(_:)``. `nil` for every
    /// other reason: the chain may then use another account.
    func ofActive(_ account: AccountID) -> AbsenceReason? {
        switch self {
        case .sessionEnded(let reason): .activeSessionEnded(account, reason: reason)
        case .belongsElsewhere(let reason): .activeBelongsElsewhere(account, reason: reason)
        default: nil
        }
    }

    /// The error for a caller that needs the active account, when its session has ended or belongs to another
    /// configuration; `nil` for every other reason.
    package var sessionError: SessionError? {
        switch self {
        case .activeSessionEnded(let account, let reason): .ended(account, reason: reason)
        case .activeBelongsElsewhere(let account, let reason): .belongsElsewhere(account, reason: reason)
        default: nil
        }
    }
}
