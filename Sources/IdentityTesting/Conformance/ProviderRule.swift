/// The rules of the contract of identity providers.
public enum ProviderRule: String, Sendable, CaseIterable {
    /// Without a signed-in account, a lookup reports that and does not throw.
    case absenceIsNoError
    /// A silent lookup shows nothing, before and after a sign-in.
    case silenceShowsNothing
    /// A signed-in account is found without another sign-in.
    case signInIsFound
    /// A session is found after a restart of the program.
    case sessionOutlivesRestart
    /// A provider's accounts belong to its realms.
    case accountsAreItsOwn
    /// The realms depend on the configuration: two providers with different names share no realm.
    case realmsAreConfigured
    /// No request goes to another machine in plain http.
    case plainHTTPIsRefused
    /// A sign-in that the user cancels throws.
    case givingUpThrows
    /// A token is kept while it is valid.
    case validTokenIsKept
    /// A token is one that a header can carry: not empty, and without a line break.
    case tokensFitAHeader
    case expiredTokenIsRefreshed
    /// The session is refreshed once for all callers.
    case refreshesOnce
    /// A session is refreshed any number of times, each time once and with the latest refresh token.
    case rotationIsFollowed
    /// The provider uses the given clock, not the system's.
    case clockIsTheGivenOne
    /// A token that a resource server refused is replaced once, by another one.
    case refusedTokenIsReplaced
    /// An account that is not signed in gets no token.
    case strangersAreRefused
    /// A token is not returned for scopes that the session lacks.
    case missingScopeIsRefused
    /// Every call works from any thread, and concurrently.
    case anyThread
    /// Cancelling one caller does not affect the others.
    case cancelledCallerLeavesAlone
    /// An unreachable backend causes a transient error, and the account stays.
    case offlineKeepsTheAccount
    /// A session that the backend has ended causes a definitive error, and the account is removed.
    case revocationIsDefinitive
    /// Signing out ends the session, even if it has already ended.
    case signOutEnds
    /// Signing out works without a network.
    case signOutWorksOffline
    /// Every error has a code, a class and a message.
    case errorsAreClassified
    /// Errors and logs contain no token, no password and no body of a request.
    case noSecretShows
}

extension ProviderRule: CustomStringConvertible {
    public var description: String {
        switch self {
        case .absenceIsNoError: "a lookup without a signed-in account does not throw"
        case .silenceShowsNothing: "a silent lookup shows nothing"
        case .signInIsFound: "a signed-in account is found without another sign-in"
        case .sessionOutlivesRestart: "a session is found after a restart"
        case .accountsAreItsOwn: "accounts belong to the provider's realms"
        case .realmsAreConfigured: "realms come from the configuration"
        case .plainHTTPIsRefused: "no request goes to another machine in plain http"
        case .givingUpThrows: "a sign-in that the user cancels throws"
        case .validTokenIsKept: "a token is kept while it is valid"
        case .tokensFitAHeader: "a token is one that a header can carry"
        case .expiredTokenIsRefreshed: "an expired token is refreshed"
        case .refreshesOnce: "the session is refreshed once for all callers"
        case .rotationIsFollowed: "each refresh is one request with the latest refresh token"
        case .clockIsTheGivenOne: "the time is that of the given clock"
        case .refusedTokenIsReplaced: "a refused token is replaced once, by another one"
        case .strangersAreRefused: "an account that is not signed in gets no token"
        case .missingScopeIsRefused: "no token is returned for scopes that the session lacks"
        case .anyThread: "every call works from any thread, and concurrently"
        case .cancelledCallerLeavesAlone: "cancelling one caller does not affect the others"
        case .offlineKeepsTheAccount: "an unreachable backend is a transient error and keeps the account"
        case .revocationIsDefinitive: "a session that the backend ended is a definitive error and is removed"
        case .signOutEnds: "signing out ends the session, also twice"
        case .signOutWorksOffline: "signing out works without a network"
        case .errorsAreClassified: "every error has a code, a class and a text"
        case .noSecretShows: "no secret shows in an error or a log"
        }
    }
}
