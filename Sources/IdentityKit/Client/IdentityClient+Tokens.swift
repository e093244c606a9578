import Foundation

extension IdentityClient {
    /// Shortens the pause after a failed refresh to at most two seconds, for example because a person asks for another
    /// attempt or the network has changed. The pause stays unchanged if the server demanded it or refused the refresh, if
    /// the response was too large, or if the access token in the response must not be used.
    /// - Parameter account: the account; `nil` for the active one.
    /// - Throws: ``/IdentityCore/TokenStoreError``, and without `account` what
    ///   ``accessToken(as:scopes:resource:freshness:)`` throws when there is no active account.
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
    /// For a resource, asks only if ``accessToken(as:scopes:resource:freshness:)`` gets no token for it, or none with
    /// these scopes. The session keeps its other authorizations.
    /// - Parameters:
    ///   - account: the account; `nil` for the active one.
    ///   - scopes: the scopes that the token, or the token for `resource`, must have.
    ///   - resource: the identifier of the resource, exactly as its metadata or documentation spells it (RFC 8707
    ///     section 2); `nil` for the session itself.
    /// - Returns: a challenge from the backend, which the caller has to answer; `nil` when nothing more is needed.
    /// - Throws: ``/IdentityCore/SessionError`` when no authorization can be obtained, what the provider throws when it is
    ///   refused or the user did not agree, otherwise as ``accessToken(as:scopes:resource:freshness:)``.
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
