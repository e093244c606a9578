import Foundation

extension IdentityClient {
    /// Returns the current access token if it is as fresh as `freshness` requires, or otherwise a refreshed one, even if
    /// the refreshed one also expires too soon.
    /// - Parameters:
    ///   - account: the account; `nil` for the active one.
    ///   - scopes: the scopes that the token must have.
    ///   - freshness: how long the token must last from now, or that it must be a new one.
    /// - Throws: as ``accessToken(as:scopes:)``, also while the current token is valid: when the refresh failed, or its
    ///   outcome is not known yet.
    public func accessToken(
        as account: AccountID? = nil, scopes: Set<String> = [], freshness: TokenFreshness
    ) async throws -> String {
        try await acting(as: account, scopes) {
            try await $0.chain.accessToken(for: $0.account, scopes: scopes, freshness: freshness).asToken()
        }
    }

    /// Returns an access token other than `rejectedToken`, which a resource server has just refused with 401. If the
    /// session already has a newer token, returns that token without a request.
    /// - Throws: as ``accessToken(as:scopes:)``.
    public func accessToken(
        as account: AccountID? = nil, scopes: Set<String> = [], replacing rejectedToken: String
    ) async throws -> String {
        try await acting(as: account, scopes) {
            try await $0.chain.accessToken(for: $0.account, scopes: scopes, replacing: rejectedToken).asToken()
        }
    }

    /// Returns an access token for one resource, such as a second API of the same authorization server. The token is
    /// obtained with the session's refresh token. A session sends one such request at a time.
    /// - Parameters:
    ///   - account: the account; `nil` for the active one.
    ///   - scopes: the scopes that the token must have.
    ///   - resource: the identifier of the resource, exactly as its metadata or documentation spells it (RFC 8707 section 2).
    ///   - rejectedToken: a token that the resource has just refused with 401; `nil` for the current one.
    /// - Throws: ``/IdentityCore/SessionError/resourceNotGranted(_:resource:reason:nextAttempt:)`` when the server
    ///   gives no token for the resource, otherwise as ``accessToken(as:scopes:)``.
    nonisolated(nonsending) public func accessToken(
        as account: AccountID? = nil, scopes: Set<String> = [], resource: String, replacing rejectedToken: String? = nil
    ) async throws -> String {
        try await acting(as: account, scopes) {
            try await $0.tokens.accessToken(
                for: $0.account, scopes: scopes, resource: resource, replacing: rejectedToken
            ).asToken()
        }
    }

    /// Shortens the pause after a failed refresh to at most two seconds, for example because a person asks for another
    /// attempt or the network has changed. The pause stays when the server demanded it or refused the refresh, or when
    /// the response was too large or its access token must not be used.
    /// - Parameter account: the account; `nil` for the active one.
    /// - Throws: ``/IdentityCore/TokenStoreError``, and without `account` what ``accessToken(as:scopes:)`` throws when there
    ///   is no active account.
    public func retryNow(as account: AccountID? = nil) async throws {
        let acting =
            if let account {
                ClientState.Acting(chain: chain, account: account)
            } else {
                try await acting(scopes: [])
            }
        try await ProviderError.classifying {
            try await acting.chain.sessions(of: acting.account)?.retryNow(acting.account)
        }
    }

    /// Requests authorization for `scopes`, or for one resource, from the account's provider, which may ask the person.
    /// For a resource, asks only if ``accessToken(as:scopes:resource:replacing:)`` gets no token for it, or none with
    /// these scopes. The session keeps its other authorizations.
    /// - Parameters:
    ///   - account: the account; `nil` for the active one.
    ///   - scopes: the scopes that a token must have, or that a token for the resource must have.
    ///   - resource: the identifier of the resource, exactly as its metadata or documentation spells it (RFC 8707
    ///     section 2); `nil` for the session itself.
    /// - Returns: a challenge from the backend, which the caller has to answer; `nil` when nothing more is needed.
    /// - Throws: ``/IdentityCore/SessionError`` when no authorization can be obtained, what the provider throws when it is
    ///   refused or the user did not agree, otherwise as ``accessToken(as:scopes:)``.
    @discardableResult
    public func requestAuthorization(
        as account: AccountID? = nil, scopes: Set<String> = [], resource: String? = nil
    ) async throws -> Data? {
        let context = try await context(scopes, stores: true)
        return try await acting(as: account, []) { acting -> Data? in
            guard let resource else {
                return try await acting.chain.requestAuthorization(
                    for: acting.account, scopes: scopes, deviceToken: context.deviceToken)
            }
            try await acting.chain.requestAuthorization(
                for: acting.account, scopes: scopes, resource: resource, in: context)
            return nil
        }
    }
}
