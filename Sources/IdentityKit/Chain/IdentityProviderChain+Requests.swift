import Foundation

/// Passes each call to the provider with the account's realm.
extension IdentityProviderChain: SessionProvider {
    /// Lets the account's provider add an access token to `request`. If the provider is no ``SessionProvider``, adds its
    /// token as a bearer token.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, `provider_excluded`
    ///   when the override excludes it, or `token_malformed` for a token that no header can carry; otherwise what the
    ///   provider throws.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        let provider = try route(to: accountID).provider
        guard let sessions = provider as? any SessionProvider else {
            return try await provider.bearing(request, for: accountID, scopes: scopes)
        }
        return try await sessions.authorize(request, for: accountID, scopes: scopes)
    }

    /// Lets the account's provider prepare a refused `request` to be sent again. If the provider is no
    /// ``SessionProvider``, replaces the bearer token.
    /// - Returns: `nil` when there is nothing else to try, such as when the provider has no other token, or the session
    ///   is suspended.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, `provider_excluded`
    ///   when the override excludes it, or `token_malformed` for a token that no header can carry; otherwise what the
    ///   provider throws.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        let provider = try route(to: accountID).provider
        guard let sessions = provider as? any SessionProvider else {
            return try await provider.bearingOther(request, for: accountID, scopes: scopes)
        }
        return try await sessions.reauthorize(request, after: response, for: accountID, scopes: scopes)
    }

    /// Lets the account's provider obtain the authorization that `response` asks for.
    /// - Returns: whether the request is worth repeating; `false` for a provider that is no ``SessionProvider``.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; otherwise what the provider throws.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool {
        guard let sessions = try route(to: accountID).provider as? any SessionProvider else { return false }
        return try await sessions.requestAuthorization(for: accountID, askedBy: response, in: context)
    }

    /// Lets the account's provider obtain an authorization for one resource. If the provider is no ``SessionProvider``,
    /// only checks that it has a token for the resource.
    /// - Throws: an error with the code `unknown_realm` when no provider has the account's realm, or
    ///   `provider_excluded` when the override excludes it; otherwise what the provider throws.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws {
        guard let sessions = try route(to: accountID).provider as? any SessionProvider else {
            _ = try await accessToken(for: accountID, scopes: scopes, resource: resource, freshness: .any)
            return
        }
        try await sessions.requestAuthorization(for: accountID, scopes: scopes, resource: resource, in: context)
    }
}
