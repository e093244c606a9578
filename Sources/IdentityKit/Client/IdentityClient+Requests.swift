import Foundation

extension IdentityClient {
    /// Sends `request` with a token of `account`. When `account` is `nil`, sends it for the account whose provider has the
    /// request's address in ``ProviderConfiguration/sendsTo``, or else for the active account.
    ///
    /// After a 401 the request is repeated once with another token, and before that once if the server asks for a nonce
    /// (RFC 9449). A request whose body is a stream cannot be repeated: its result is the 401, and the next request gets
    /// another token.
    ///
    /// With `mayShowSignIn`, lets the user sign in:
    ///
    /// - when no account is signed in, or when the session has ended, is suspended (``IdentityEvent/suspended(_:_:)``) or
    ///   cannot be refreshed.
    /// - once when the resource asks for more than the session has, such as more scopes (RFC 6750 section 3.1) or a
    ///   stronger or more recent sign-in (RFC 9470).
    /// - once per session when the resource refuses every token (`invalid_token`).
    ///
    /// Concurrent requests that need the same sign-in share it. Cancelling one of them does not affect the others.
    ///
    /// If the authorization server of the resource is still unknown (RFC 9728) when a sign-in is needed, the request is
    /// first sent without a token, because the refusal names the server. Only a GET, a HEAD or the first message of the
    /// Model Context Protocol is sent in this way. If that request succeeds, its response is the result, and
    /// `isAnonymous` is `true`.
    ///
    /// If `account` is given, its provider shows the sign-in, and the active account stays the same. If the resource
    /// refuses the token of the new sign-in too, the refusal is returned and no second sign-in is shown.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine;
    ///   ``ClientError/severalAccounts(_:host:)``, ``ClientError/notDestination(_:host:)`` or
    ///   ``ClientError/unclearAddress(host:)`` when no account can be chosen for the address or the token must not be
    ///   sent there; otherwise as ``accessToken(as:scopes:resource:freshness:)`` and what the transport throws. A 401
    ///   that remains is the result and no error. With `mayShowSignIn`, also what the provider throws when the user did
    ///   not sign in, and ``ClientError/otherAccount(_:insteadOf:)`` when an account other than `account` signed in; the
    ///   request is then not sent for that account.
    public func data(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = [], mayShowSignIn: Bool = false
    ) async throws -> (Data, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            try await $0.data(for: $1)
        }
    }

    /// Returns `request` with an access token, for another library to send; see
    /// ``SessionProvider/authorize(_:for:scopes:)``. When `account` is `nil`, chooses the account as
    /// ``data(for:as:scopes:mayShowSignIn:)`` does.
    /// - Throws: as ``data(for:as:scopes:mayShowSignIn:)``, except for errors of the transport.
    public func authorize(
        _ request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = []
    ) async throws -> URLRequest {
        try await acting(for: request, as: account, scopes) {
            try await $0.chain.authorize(request, for: $0.account, scopes: scopes)
        }
    }

    /// Prepares `request`, which was refused with 401, to be sent again with another token or with what the server asks
    /// for, as ``SessionProvider/reauthorize(_:after:for:scopes:)`` does.
    /// - Returns: `nil` when there is nothing else to try.
    /// - Throws: as ``data(for:as:scopes:mayShowSignIn:)``, except for errors of the transport.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse? = nil, as account: AccountID? = nil,
        scopes: Set<String> = []
    ) async throws -> URLRequest? {
        try await acting(for: request, as: account, scopes) {
            try await reauthorize(request, after: response, for: $0.account, of: $0.chain, scopes: scopes)
        }
    }
}
