/// A provider that keeps its sessions in ``ProviderSessions``. It has to implement only signing in, requesting more
/// authorization, and signing out.
public protocol SessionBackedProvider: SessionProvider {
    /// The provider's sessions.
    var sessions: ProviderSessions { get }
}

extension SessionBackedProvider {
    public var realms: Set<String> { [sessions.realm] }

    /// The account that signed in last and still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        try await sessions.lookUp()
    }

    /// The account, if it still has a session.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        try await sessions.lookUp(account)
    }

    /// A valid access token, refreshed when needed.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, or the backend's error.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>
    ) async throws -> String {
        try await sessions.accessToken(for: accountID, scopes: scopes)
    }

    /// An access token that lasts as long as `freshness` says.
    /// - Throws: as ``ProviderSessions/accessToken(for:scopes:freshness:)``.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, freshness: TokenFreshness
    ) async throws -> String {
        try await sessions.accessToken(for: accountID, scopes: scopes, freshness: freshness)
    }

    /// A valid access token for one resource.
    /// - Throws: as ``ProviderSessions/accessToken(for:scopes:resource:replacing:)``.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, replacing rejectedToken: String?
    ) async throws -> String {
        try await sessions.accessToken(for: accountID, scopes: scopes, resource: resource, replacing: rejectedToken)
    }

    /// An access token other than the refused one.
    /// - Throws: ``/IdentityCore/SessionError``, ``/IdentityCore/TokenStoreError``, or the backend's error.
    public func accessToken(
        for accountID: AccountID, scopes: Set<String>, replacing rejectedToken: String
    ) async throws -> String {
        try await sessions.accessToken(for: accountID, scopes: scopes, replacing: rejectedToken)
    }
}
