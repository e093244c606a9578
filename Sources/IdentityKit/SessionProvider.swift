import Foundation

/// A provider that puts its access tokens into requests itself, as bearer tokens or with a proof of possession.
///
/// The providers of this package and ``/IdentityCore/IdentityProviderChain`` conform to this protocol.
/// ``/IdentityCore/AccountProvider`` has the requirements that do not concern requests.
public protocol SessionProvider: AccountProvider {
    /// Adds the account's access token to `request`: as a bearer token (RFC 6750), or with a proof of possession (RFC
    /// 9449).
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``.
    func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest

    /// Prepares a request of ``authorize(_:for:scopes:)`` to be sent again after a resource server refused it with 401. The
    /// new request has another token, or the proof that the server demands (RFC 9449 section 9).
    /// - Parameters:
    ///   - request: the request as it was sent.
    ///   - response: the 401 response; `nil` when the caller does not have it.
    ///   - accountID: the account to act for.
    ///   - scopes: the OAuth scopes that the token must have.
    /// - Returns: `nil` when the request has no token, or there is no other token, such as for a session that is suspended
    ///   or cannot be refreshed.
    /// - Throws: as ``/IdentityCore/AccountProvider/accessToken(for:scopes:resource:freshness:)`` in other cases, such as
    ///   for an ended session.
    func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest?

    /// Obtains what a resource requires and the session lacks: more scopes (RFC 6750 section 3.1), a stronger or more
    /// recent sign-in (RFC 9470), or a new session if the resource no longer accepts the current one. The provider may
    /// show a sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - response: the response that refuses a request, with the status 401 or 403.
    ///   - context: the scopes of the request, and the device.
    /// - Returns: `true` after a sign-in, so that the request is worth repeating; `false` if the response demands nothing
    ///   that the provider can obtain, or no sign-in can be shown.
    /// - Throws: `CancellationError` when the user gives up, and the provider's error when the sign-in fails.
    func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool

    /// Obtains an authorization for one resource, if the session has none for it or lacks scopes. The provider may show a
    /// sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the scopes that a token for the resource must have.
    ///   - resource: the identifier of the resource (RFC 8707 section 2).
    ///   - context: the device of the caller.
    /// - Throws: ``/IdentityCore/SessionError`` when no authorization can be obtained, `CancellationError` when the user
    ///   gives up, and the provider's error when the sign-in fails.
    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws
}

extension SessionProvider {
    /// Checks only that there is a token for the resource, without showing a sign-in.
    /// - Throws: as ``/IdentityCore/AccountProvider/accessToken(for:scopes:resource:freshness:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws {
        _ = try await accessToken(for: accountID, scopes: scopes, resource: resource, freshness: .any)
    }

    /// Returns `false`, for providers that cannot obtain what a resource demands.
    /// - Throws: nothing.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool { false }
}
