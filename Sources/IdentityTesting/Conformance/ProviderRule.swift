/// A rule that ``ProviderConformance`` checks an identity provider against.
public enum ProviderRule: String, Sendable, CaseIterable {
    /// A silent lookup before the first sign-in finds no account, and does not throw.
    case absenceIsNoError
    /// A silent lookup shows nothing to the user, before and after a sign-in. A call for a token after the sign-in shows
    /// nothing either.
    case silenceShowsNothing
    /// A signed-in account is found without another sign-in.
    case signInIsFound
    /// A session is found after a restart of the program.
    case sessionOutlivesRestart
    /// A provider's accounts belong to its realms. A realm, such as the provider's name, is one part of an `AccountID`.
    case accountsAreItsOwn
    /// The realms depend on the configuration: two providers with different names share no realm.
    case realmsAreConfigured
    /// No request goes to another machine in plain http.
    case plainHTTPIsRefused
    /// A sign-in that the user cancels throws.
    case givingUpThrows
    /// Repeated calls return the same access token while it is valid, without a refresh.
    case validTokenIsKept
    /// An access token fits in a header field: it is not empty, and contains only visible ASCII characters and
    /// spaces.
    case tokensFitAHeader
    /// An expired access token is replaced by a refresh, and the account stays signed in.
    case expiredTokenIsRefreshed
    /// Concurrent callers cause one refresh at most, and get the same new access token.
    case refreshesOnce
    /// Each expired access token causes one refresh. Every refresh of a session sends the latest refresh token, also after
    /// several refreshes.
    case rotationIsFollowed
    /// The provider takes the time from the clock that the test gives it, ``ProviderUnderTest/clock``, and not from the
    /// system.
    case clockIsTheGivenOne
    /// An access token that a resource server refused is replaced by another one. A later report of the same refused token
    /// gets the same replacement. A provider that cannot refresh throws instead.
    case refusedTokenIsReplaced
    /// An account that is not signed in gets no token, and a silent lookup does not find it.
    case strangersAreRefused
    /// A call for scopes that the session lacks throws an error that is not transient.
    case missingScopeIsRefused
    /// Every call works from any thread, and concurrently.
    case anyThread
    /// Cancelling one caller does not affect the others.
    case cancelledCallerLeavesAlone
    /// An unreachable backend causes a transient error, and the account stays signed in.
    case offlineKeepsTheAccount
    /// A session that the backend has ended causes a definitive error, and the account is no longer signed in.
    case revocationIsDefinitive
    /// A sign-out ends the session, so that the account is not found and gets no token. A second sign-out does not throw.
    case signOutEnds
    /// A sign-out without a network does not throw, and the account is no longer signed in.
    case signOutWorksOffline
    /// Every error except `CancellationError` is an `IdentityFailure` with a failure code, a failure class and a
    /// message.
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
