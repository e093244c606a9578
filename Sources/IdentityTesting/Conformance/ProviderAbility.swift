import IdentityKit

/// Abilities that a provider may lack without breaking a rule. Declare the missing abilities in
/// ``ProviderUnderTest/lacks``, with the reasons.
public enum ProviderAbility: String, Sendable, CaseIterable {
    /// A user signs in. Until then, the provider has no account.
    case signIn
    /// The provider can be created from a configuration, with a name and settings.
    case settings
    /// The provider keeps its session in a store.
    case storage
    /// The provider can replace a token that has expired or was refused.
    case refresh
    /// A session has only the scopes that were granted, so a call for a token with another scope throws.
    case scopes
    /// The provider sends requests to a server, which may be unreachable.
    case server
    /// The backend can end a session.
    case revocation
    /// The provider writes a log.
    case log
}

extension ProviderUnderTest {
    /// Why `rule` does not apply to the provider; `nil` when it applies.
    func reasonToLeaveOut(_ rule: ProviderRule) -> String? {
        switch rule {
        case .absenceIsNoError, .silenceShowsNothing:
            looksSilently
                ? lacks[.signIn]
                : "the provider has only the three methods of IdentityProvider, and looking up may show a sign-in"
        case .givingUpThrows: provider.mayShowSignIn ? lacks[.signIn] : "the provider never shows a sign-in"
        case .sessionOutlivesRestart: lacks[.storage]
        case .realmsAreConfigured: lacks[.settings]
        case .plainHTTPIsRefused: lacks[.server] ?? lacks[.settings]
        case .refusedTokenIsReplaced:
            isManaged ? nil : "nothing tells a provider of three methods that its token was refused"
        case .expiredTokenIsRefreshed, .refreshesOnce, .rotationIsFollowed, .clockIsTheGivenOne: lacks[.refresh]
        case .offlineKeepsTheAccount: lacks[.server] ?? lacks[.refresh]
        case .revocationIsDefinitive: lacks[.revocation] ?? lacks[.server] ?? lacks[.refresh]
        case .missingScopeIsRefused: lacks[.scopes]
        case .signOutEnds: reasonWithoutSignOut
        case .signOutWorksOffline: reasonWithoutSignOut ?? lacks[.server]
        case .signInIsFound, .accountsAreItsOwn, .validTokenIsKept, .tokensFitAHeader, .strangersAreRefused, .anyThread,
            .cancelledCallerLeavesAlone, .errorsAreClassified, .noSecretShows:
            nil
        }
    }

    /// Whether the provider can look up its account without showing a sign-in.
    var looksSilently: Bool { isManaged || !provider.mayShowSignIn }

    private var isManaged: Bool { provider is any AccountProvider }

    private var reasonWithoutSignOut: String? {
        isManaged || signOut != nil
            ? nil : "the provider has no method to sign out, and ProviderUnderTest.signOut is not set"
    }
}

extension [ProviderAbility: String] {
    /// Returns every ability with the same reason for its absence, such as `.all(because: "its token is fixed")`.
    public static func all(because reason: String) -> Self {
        Dictionary(uniqueKeysWithValues: ProviderAbility.allCases.map { ($0, reason) })
    }
}
