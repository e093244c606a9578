import Foundation

/// Requests go to the provider of the account, like every call for it.
extension IdentityProviderChain: SessionProvider {
    /// Authorizes `request` with the account's provider. For a provider that is no ``SessionProvider``, adds a bearer
    /// token.
    /// - Throws: ``/IdentityCore/ChainUsageError`` when no provider has the account's realm, else what the provider
    ///   throws.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        let provider = try route(to: accountID).provider
        guard let sessions = provider as? any SessionProvider else {
            return try await provider.bearing(request, for: accountID, scopes: scopes)
        }
        return try await sessions.authorize(request, for: accountID, scopes: scopes)
    }

    /// Authorizes `request` again with another token, when the account's provider has one.
    /// - Throws: ``/IdentityCore/ChainUsageError`` when no provider has the account's realm, else what the provider
    ///   throws.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        let provider = try route(to: accountID).provider
        guard let sessions = provider as? any SessionProvider else {
            return try await provider.bearingOther(request, for: accountID, scopes: scopes)
        }
        return try await sessions.reauthorize(request, after: response, for: accountID, scopes: scopes)
    }

    /// Requests the authorization that a resource asked for, when the account's provider can.
    /// - Throws: ``/IdentityCore/ChainUsageError`` when no provider has the account's realm, else what the provider
    ///   throws.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool {
        guard let sessions = try route(to: accountID).provider as? any SessionProvider else { return false }
        return try await sessions.requestAuthorization(for: accountID, askedBy: response, in: context)
    }

    /// Gets an authorization for one resource from the account's provider.
    /// - Throws: ``/IdentityCore/ChainUsageError`` when no provider has the account's realm, else what the provider throws.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws {
        guard let sessions = try route(to: accountID).provider as? any SessionProvider else {
            _ = try await accessToken(for: accountID, scopes: scopes, resource: resource, replacing: nil)
            return
        }
        try await sessions.requestAuthorization(for: accountID, scopes: scopes, resource: resource, in: context)
    }
}
