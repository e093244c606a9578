import Foundation

/// Adapts a provider that has only the three methods of ``IdentityProvider`` to ``AccountProvider``.
///
/// At a provider that may show a sign-in, a silent lookup cannot find out who is signed in, because only the provider's own
/// sign-in shows that. A lookup without a chosen account finds none. A chosen account is assumed to be still signed in.
struct ThreeMethodProvider: AccountProvider {
    let base: any IdentityProvider
    let realms: Set<String>

    var mayShowSignIn: Bool { base.mayShowSignIn }

    func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        guard !mayShowSignIn else { return .absent(.mayShowSignIn) }
        return try await signIn(in: context).map(AccountLookup.found) ?? .absent(.noAccount)
    }

    func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        // Only the provider's own sign-in shows whether the account is still signed in, so keep the choice until then.
        mayShowSignIn ? .found(account) : try await silentAccount(in: context)
    }

    func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? {
        try await base.activeAccount(scopes: scopes, deviceToken: deviceToken)
    }

    func signIn(in context: CallerContext) async throws -> AccountID? {
        try await base.activeAccount(scopes: context.scopes, deviceToken: context.deviceToken)
    }

    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, deviceToken: String
    ) async throws -> Data? {
        try await base.requestAuthorization(for: accountID, scopes: scopes, deviceToken: deviceToken)
    }

    nonisolated(nonsending) func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
        try await base.accessToken(for: accountID, scopes: scopes)
    }

    /// Returns the current token, because ``IdentityProvider`` has no method to request another one.
    nonisolated(nonsending) func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        try checkServes(resource, for: accountID)
        return try await base.accessToken(for: accountID, scopes: scopes)
    }

    /// Does nothing, because ``IdentityProvider`` has no method to sign out.
    func signOut(_ accountID: AccountID) async throws {}
}
