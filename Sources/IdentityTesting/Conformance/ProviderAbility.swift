import IdentityKit

/// Abilities that a provider may lack without breaking the contract. ``ProviderUnderTest/lacks`` says so, with the
/// reason.
public enum ProviderAbility: String, Sendable, CaseIterable {
    /// Somebody signs in, and out again.
    case signIn
    /// Settings and a name make it.
    case settings
    /// A store keeps its session.
    case storage
    /// A token that has expired or was refused is replaced by another one.
    case refresh
    /// A session has some scopes and lacks others.
    case scopes
    /// The provider asks a server, which may be out of reach.
    case server
    /// The backend can end a session.
    case revocation
    /// The provider writes a log.
    case log
}

extension ProviderUnderTest {
    /// Why `rule` does not apply to the provider; `nil` when it does.
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

    /// Whether a lookup never shows anything.
    var looksSilently: Bool { isManaged || !provider.mayShowSignIn }

    private var isManaged: Bool { provider is any AccountProvider }

    private var reasonWithoutSignOut: String? {
        isManaged || signOut != nil
            ? nil : "the provider has no method to sign out, and ProviderUnderTest.signOut is not set"
    }
}

extension [ProviderAbility: String] {
    /// Everything that a provider may lack, for one reason, such as `.all(because: "its token is fixed")`.
    public static func all(because reason: String) -> Self {
        Dictionary(uniqueKeysWithValues: ProviderAbility.allCases.map { ($0, reason) })
    }
}
