import Foundation

/// Acting for many users, as a backend does. No account is active here, none is chosen, and none but the named one is read.
extension IdentityClient {
    /// A current access token of `account`.
    /// - Throws: ``/IdentityCore/SessionError`` when the account has no session or its session has ended,
    ///   ``/IdentityCore/ChainUsageError`` when no provider has its realm, ``/IdentityCore/MalformedTokenError`` for a token that no header
    ///   can carry, otherwise what the provider throws.
    nonisolated(nonsending) public func accessToken(
        for account: AccountID, scopes: Set<String> = []
    ) async throws -> String {
        try await ProviderFailure.classifying { try await chain.accessToken(for: account, scopes: scopes).asToken() }
    }

    /// An access token of `account` that lasts as long as `freshness` says.
    /// - Throws: as ``accessToken(for:scopes:)``, and when the session cannot be refreshed.
    public func accessToken(
        for account: AccountID, scopes: Set<String> = [], freshness: TokenFreshness
    ) async throws -> String {
        try await ProviderFailure.classifying {
            try await chain.accessToken(for: account, scopes: scopes, freshness: freshness).asToken()
        }
    }

    /// An access token of `account` other than the one that a resource server has just refused with 401.
    /// - Throws: as ``accessToken(for:scopes:)``.
    public func accessToken(
        for account: AccountID, scopes: Set<String> = [], replacing rejectedToken: String
    ) async throws -> String {
        try await ProviderFailure.classifying {
            try await chain.accessToken(for: account, scopes: scopes, replacing: rejectedToken).asToken()
        }
    }

    /// Sends `request` with the token of `account`. After a 401 it is sent once more with another token.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise as
    ///   ``accessToken(for:scopes:)`` and what the transport throws. A second 401 is returned.
    public func data(
        for request: URLRequest, as account: AccountID, scopes: Set<String> = []
    ) async throws -> (Data, HTTPURLResponse) {
        try await ProviderFailure.classifying {
            try await send(request, for: account, of: chain, scopes: scopes)
        }
    }

    /// `request` with the token of `account`, for another library: ``SessionProvider/authorize(_:for:scopes:)``.
    /// - Throws: as ``data(for:as:scopes:)``.
    public func authorize(
        _ request: URLRequest, as account: AccountID, scopes: Set<String> = []
    ) async throws -> URLRequest {
        try request.checkMayCarryToken()
        return try await ProviderFailure.classifying {
            try await chain.authorize(request, for: account, scopes: scopes)
        }
    }
}
