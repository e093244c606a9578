/// A provider that keeps its sessions in ``ProviderSessions``. Extensions of this protocol look up accounts and return
/// access tokens, so that the provider implements only what sends requests of its own, such as the sign-in and the
/// sign-out.
public protocol SessionBackedProvider: SessionProvider {
    /// The sessions of this provider, in the store of its environment.
    var sessions: ProviderSessions { get }
}

extension SessionBackedProvider {
    public var realms: Set<String> { [sessions.realm] }

    /// Looks up the account that signed in last and still has a session, according to the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError`.
    public func silentAccount(in context: CallerContext) async throws -> AccountLookup {
        try await sessions.lookUp()
    }

    /// Looks up whether `account` still has a session, according to the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func silentAccount(_ account: AccountID, in context: CallerContext) async throws -> AccountLookup {
        try await sessions.lookUp(account)
    }

    /// A valid access token with all of `scopes`, refreshed when it expires soon.
    /// - Throws: as ``ProviderSessions/credential(for:scopes:replacing:)``.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>
    ) async throws -> String {
        try await sessions.accessToken(for: accountID, scopes: scopes)
    }

    /// A valid access token that is as fresh as `freshness` requires, for `resource`, or the session's own token if
    /// `resource` is `nil`.
    /// - Throws: ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` when the server gives no
    ///   token for the resource, or the provider can request none. All other errors are as for
    ///   ``ProviderSessions/credential(for:scopes:replacing:)``. If the session's own token is valid but not fresh enough,
    ///   the method also throws when the refresh fails or the outcome of an earlier refresh is unknown.
    nonisolated(nonsending) public func accessToken(
        for accountID: AccountID, scopes: Set<String>, resource: String?, freshness: TokenFreshness
    ) async throws -> String {
        try await sessions.accessToken(for: accountID, scopes: scopes, resource: resource, freshness: freshness)
    }
}
