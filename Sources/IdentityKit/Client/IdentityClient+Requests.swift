import Foundation

extension IdentityClient {
    /// Sends `request` with a token of `account`. When `account` is `nil`, the account acts whose provider names the
    /// address (``ProviderConfiguration/sendsTo``), or else the active one. After a 401 the request is repeated once
    /// with another token. A request whose body is a stream cannot be repeated: its result is the 401, and the next
    /// request gets another token.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine,
    ///   ``ClientError/severalAccounts(_:host:)``, ``ClientError/notDestination(_:host:)`` or
    ///   ``ClientError/unclearAddress(host:)`` for an address that leads to no account, otherwise as
    ///   ``accessToken(as:scopes:)`` and what the transport throws. A second 401 is returned.
    public func data(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = []
    ) async throws -> (Data, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes) { try await $0.data(for: $1) }
    }

    /// Sends `request` as ``data(for:as:scopes:)`` does, and lets the user sign in where that is needed: when no
    /// account is signed in, when the session has ended, and once when the resource asks for more than the session has,
    /// such as more scopes (RFC 6750 section 3.1) or a stronger or more recent sign-in (RFC 9470). For a resource that
    /// refuses every token (`invalid_token`), the sign-in is shown once per session.
    ///
    /// When a sign-in is needed and it is unknown who issues tokens for the resource (RFC 9728), a GET, a HEAD or the
    /// first message of the Model Context Protocol is first sent without a token, because the refusal names the issuer.
    /// If that request succeeds, its response is the result, marked `isAnonymous`.
    ///
    /// A named account signs in at its provider, and the active account stays the same.
    /// - Throws: as ``data(for:as:scopes:)``, what the provider throws when the user did not sign in, and
    ///   ``ClientError/otherAccount(_:insteadOf:)`` when another account than the named one signed in, in which case
    ///   nothing is sent. If the token of a new sign-in is refused too, the refusal is returned and no second sign-in
    ///   shown.
    public func data(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = [], mayShowSignIn: Bool
    ) async throws -> (Data, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            try await $0.data(for: $1)
        }
    }

    /// Adds the token to `request`, for another library to send: ``SessionProvider/authorize(_:for:scopes:)``.
    /// - Throws: as ``data(for:as:scopes:)``.
    public func authorize(
        _ request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = []
    ) async throws -> URLRequest {
        try await acting(for: request, as: account, scopes) {
            try await $0.chain.authorize(request, for: $0.account, scopes: scopes)
        }
    }

    /// Adds another token to `request`, which was refused with 401; `nil` when there is no other:
    /// ``SessionProvider/reauthorize(_:after:for:scopes:)``.
    /// - Throws: as ``data(for:as:scopes:)``.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse? = nil, as account: AccountID? = nil,
        scopes: Set<String> = []
    ) async throws -> URLRequest? {
        try await acting(for: request, as: account, scopes) {
            try await reauthorize(request, after: response, for: $0.account, of: $0.chain, scopes: scopes)
        }
    }
}
