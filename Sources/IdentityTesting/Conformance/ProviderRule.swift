/// The rules of the contract of identity providers, one by one.
public enum ProviderRule: String, Sendable, CaseIterable {
    /// Nobody signed in is an answer and not an error.
    case absenceIsAnAnswer
    /// Looking silently shows nothing, before and after a sign-in.
    case silenceShowsNothing
    /// Whoever signed in is found, without a further sign-in.
    case signInIsFound
    /// A provider's accounts belong to its realms.
    case accountsAreItsOwn
    /// A sign-in the user gave up is an error and not an absence.
    case givingUpThrows
    /// A token is kept while it is valid.
    case validTokenIsKept
    /// An expired token is refreshed.
    case expiredTokenIsRefreshed
    /// However many ask at once, the session is refreshed once.
    case refreshesOnce
    /// A token that a resource server refused is replaced once, and not by itself.
    case refusedTokenIsReplaced
    /// An account that is not signed in gets no token.
    case strangersAreRefused
    /// A token is not given out for scopes the session lacks.
    case missingScopeIsRefused
    /// Every call works from any thread, many at a time.
    case anyThread
    /// A caller who is cancelled leaves alone, and at once.
    case cancelledCallerLeavesAlone
    /// A backend that cannot be reached is a transient error, and the account stays.
    case offlineKeepsTheAccount
    /// A session the backend ended is a definitive error, and the account is gone.
    case revocationIsDefinitive
    /// Signing out ends the session, also when it is over already.
    case signOutEnds
    /// Signing out works without a network.
    case signOutWorksOffline
    /// Every error has a code, a class and a text.
    case errorsAreClassified
    /// No token and no password shows in an error or a log.
    case noSecretShows
}

extension ProviderRule: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        switch self {
        case .absenceIsAnAnswer: "nobody signed in is an answer, not an error"
        case .silenceShowsNothing: "looking silently shows nothing"
        case .signInIsFound: "whoever signed in is found without a further sign-in"
        case .accountsAreItsOwn: "accounts belong to the provider's realms"
        case .givingUpThrows: "a sign-in the user gave up is an error, not an absence"
        case .validTokenIsKept: "a token is kept while it is valid"
        case .expiredTokenIsRefreshed: "an expired token is refreshed"
        case .refreshesOnce: "however many ask at once, the session is refreshed once"
        case .refusedTokenIsReplaced: "a refused token is replaced once, and not by itself"
        case .strangersAreRefused: "an account that is not signed in gets no token"
        case .missingScopeIsRefused: "no token is given out for scopes the session lacks"
        case .anyThread: "every call works from any thread, many at a time"
        case .cancelledCallerLeavesAlone: "a cancelled caller leaves alone"
        case .offlineKeepsTheAccount: "an unreachable backend is a transient error and keeps the account"
        case .revocationIsDefinitive: "a session the backend ended is a definitive error and gone"
        case .signOutEnds: "signing out ends the session, also twice"
        case .signOutWorksOffline: "signing out works without a network"
        case .errorsAreClassified: "every error has a code, a class and a text"
        case .noSecretShows: "no secret shows in an error or a log"
        }
    }
}
