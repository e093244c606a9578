import Foundation

/// A provider with sessions in the shared store, whose tokens it puts into requests itself.
///
/// Every provider of this package conforms to it, and so does a chain. ``/IdentityCore/AccountProvider`` has the
/// requirements that do not concern requests.
public protocol SessionProvider: AccountProvider {
    /// Adds the account's access token to `request`: as a bearer token (RFC 6750), or with a proof of possession (RFC
    /// 9449).
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``.
    func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest

    /// Prepares a `request` that ``authorize(_:for:scopes:)`` made and a resource server refused with 401 to be sent
    /// again, with another token or with what the server asks for.
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

    /// Obtains what a resource requires and the session lacks: more scopes (RFC 6750 section 3.1), a stronger or more
    /// recent sign-in (RFC 9470), or a new session if it no longer accepts the current one. It may show a sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - response: the response that refuses a request, with the status 401 or 403.
    ///   - context: the scopes of the request, and the device.
    /// - Returns: whether the request is worth repeating.
    /// - Throws: when the user did not sign in.
    func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool

    /// Obtains an authorization for one resource, if the session has none for it or lacks scopes. It may show a
    /// sign-in.
    /// - Parameters:
    ///   - accountID: the account to act for.
    ///   - scopes: the scopes that a token for the resource must have.
    ///   - resource: the identifier of the resource (RFC 8707 section 2).
    ///   - context: the device of the caller.
    /// - Throws: ``/IdentityCore/SessionError`` when none can be obtained, and when the user did not sign in.
    func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws
}

extension SessionProvider {
    /// Only checks that there is a token for the resource, without asking the person.
    /// - Throws: as ``/IdentityCore/AccountProvider/accessToken(for:scopes:resource:replacing:)``.
    public func requestAuthorization(
        for accountID: AccountID, scopes: Set<String>, resource: String, in context: CallerContext
    ) async throws {
        _ = try await accessToken(for: accountID, scopes: scopes, resource: resource, replacing: nil)
    }

    /// Returns `false`, because such a provider understands no demands of resources.
    /// - Throws: nothing.
    public func requestAuthorization(
        for accountID: AccountID, askedBy response: HTTPURLResponse, in context: CallerContext
    ) async throws -> Bool { false }
}
