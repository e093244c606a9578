import Foundation

/// A provider with sessions in the shared store, whose tokens it puts into requests itself.
///
/// Every provider of this package is one, and so is a chain. What it does without a request is in
/// ``/IdentityCore/AccountProvider``.
public protocol SessionProvider: AccountProvider {
    /// `request` with the account's access token: a bearer token (RFC 6750), or with a proof of possession (RFC 9449).
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``.
    func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest

    /// `request`, which ``authorize(_:for:scopes:)`` made and a resource server refused with 401, with another token or with
    /// what the server asks for.
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the 401 response; `nil` when the caller does not have it.
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes that the token must have.
    /// - Returns: `nil` when there is no other token.
    /// - Throws: when the session cannot be refreshed.
    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest?

    /// Gets what a resource asks for that the session lacks: more scopes (RFC 6750 section 3.1), a stronger or more recent
    /// sign-in (RFC 9470), or another session in the place of one that it no longer accepts. It may show a sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - response: the response that refuses a request, with the status 401 or 403.
    ///   - context: the scopes of the request, and the device.
    /// - Returns: whether the request is worth repeating.
    /// - Throws: when the user did not sign in.
    func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool

    /// Gets an authorization for one resource, where the session has none for it or lacks scopes there. It may show a sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the scopes that a token for the resource must have.
    ///   - resource: the identifier of the resource (RFC 8707 section 2).
    ///   - context: the device.
    /// - Throws: ``/IdentityCore/SessionError`` when there is none, and when the user did not sign in.
    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws
}

extension SessionProvider {
    /// Nothing is asked for: a token for the resource there is or is not.
    /// - Throws: as ``/IdentityCore/AccountProvider/accessToken(for:scopes:resource:replacing:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws {
        _ = try await accessToken(for: accountID, scopes: scopes, resource: resource, replacing: nil)
    }

    /// `false`: nothing is understood of what resources ask for.
    /// - Throws: nothing.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool { false }
}
