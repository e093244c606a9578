import Foundation

/// A client that always acts for one account, whichever account of the underlying client is active.
///
/// ```swift
/// let ada = client.scoped(to: account)
/// let (data, response) = try await ada.data(for: request)
/// ```
public struct ScopedClient: Sendable {
    public let client: IdentityClient
    /// The account that every call names. It need not be signed in.
    public let account: AccountID

    /// Calls ``IdentityClient/accessToken(as:scopes:)`` for the account.
    /// - Throws: as the method of the client.
    nonisolated(nonsending) public func accessToken(scopes: Set<String> = []) async throws -> String {
        try await client.accessToken(as: account, scopes: scopes)
    }

    /// Calls ``IdentityClient/accessToken(as:scopes:freshness:)`` for the account.
    /// - Throws: as the method of the client.
    public func accessToken(scopes: Set<String> = [], freshness: TokenFreshness) async throws -> String {
        try await client.accessToken(as: account, scopes: scopes, freshness: freshness)
    }

    /// Calls ``IdentityClient/accessToken(as:scopes:replacing:)`` for the account.
    /// - Throws: as the method of the client.
    public func accessToken(scopes: Set<String> = [], replacing rejectedToken: String) async throws -> String {
        try await client.accessToken(as: account, scopes: scopes, replacing: rejectedToken)
    }

    /// Calls ``IdentityClient/accessToken(as:scopes:resource:replacing:)`` for the account.
    /// - Throws: as the method of the client.
    public func accessToken(
        scopes: Set<String> = [], resource: String, replacing rejectedToken: String? = nil
    ) async throws -> String {
        try await client.accessToken(as: account, scopes: scopes, resource: resource, replacing: rejectedToken)
    }

    /// Calls ``IdentityClient/requestAuthorization(as:scopes:)`` for the account.
    /// - Throws: as the method of the client.
    @discardableResult
    public func requestAuthorization(scopes: Set<String>) async throws -> Data? {
        try await client.requestAuthorization(as: account, scopes: scopes)
    }

    /// Calls ``IdentityClient/requestAuthorization(as:scopes:resource:)`` for the account.
    /// - Throws: as the method of the client.
    public func requestAuthorization(scopes: Set<String> = [], resource: String) async throws {
        try await client.requestAuthorization(as: account, scopes: scopes, resource: resource)
    }

    /// Calls ``IdentityClient/data(for:as:scopes:mayShowSignIn:)`` for the account.
    /// - Throws: as the method of the client.
    public func data(
        for request: URLRequest, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) async throws -> (Data, HTTPURLResponse) {
        try await client.data(for: request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn)
    }

    /// Calls ``IdentityClient/bytes(for:as:scopes:mayShowSignIn:)`` for the account.
    /// - Throws: as the method of the client.
    public func bytes(
        for request: URLRequest, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) async throws -> (HTTPStream.Body, HTTPURLResponse) {
        try await client.bytes(for: request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn)
    }

    /// Calls ``IdentityClient/upload(for:fromFile:as:scopes:mayShowSignIn:)`` for the account.
    /// - Throws: as the method of the client.
    public func upload(
        for request: URLRequest, fromFile file: URL, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) async throws -> (Data, HTTPURLResponse) {
        try await client.upload(
            for: request, fromFile: file, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn)
    }

    /// Calls ``IdentityClient/authorize(_:as:scopes:)`` for the account.
    /// - Throws: as the method of the client.
    public func authorize(_ request: URLRequest, scopes: Set<String> = []) async throws -> URLRequest {
        try await client.authorize(request, as: account, scopes: scopes)
    }

    /// Calls ``IdentityClient/reauthorize(_:after:as:scopes:)`` for the account.
    /// - Throws: as the method of the client.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse? = nil, scopes: Set<String> = []
    ) async throws -> URLRequest? {
        try await client.reauthorize(request, after: response, as: account, scopes: scopes)
    }

    /// Calls ``IdentityClient/authorizer(as:scopes:mayShowSignIn:)`` for the account.
    public func authorizer(scopes: Set<String> = [], mayShowSignIn: Bool = false) -> RequestAuthorizer {
        client.authorizer(as: account, scopes: scopes, mayShowSignIn: mayShowSignIn)
    }

    /// Calls ``IdentityClient/events(as:)`` for the account.
    public func events() -> AsyncStream<IdentityEvent> { client.events(as: account) }

    /// Calls ``IdentityClient/signOut(as:)`` for the account.
    /// - Throws: as the method of the client.
    public func signOut() async throws { try await client.signOut(as: account) }
}

extension IdentityClient {
    /// Returns a client that always acts for `account`, even after another account is selected, here or in another process.
    public func scoped(to account: AccountID) -> ScopedClient { ScopedClient(client: self, account: account) }
}
