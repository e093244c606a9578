import Foundation

extension IdentityClient {
    /// Sends `request` with a token of `account`. Without one the account acts whose provider names the address
    /// (``ProviderConfiguration/sendsTo``), and where none does the active one. After a 401 it is sent once more with another token,
    /// unless its body is a stream, which can be read once: the 401 is the result then, and the next request has another token.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine,
    ///   ``ClientError/severalAccounts(_:host:)``, ``ClientError/notDestination(_:host:)`` or
    ///   ``ClientError/unclearAddress(host:)`` for an address that leads to no account, otherwise as
    ///   ``accessToken(as:scopes:)`` and what the transport throws. A second 401 is returned.
    public func data(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = []
    ) async throws -> (Data, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes) { try await $0.data(for: $1) }
    }

    /// Sends `request` as ``data(for:as:scopes:)`` does, and lets the user sign in where that is what it takes: when no
    /// account is signed in, when the session has ended, and once when the resource asks for more than the session has,
    /// such as more scopes (RFC 6750 section 3.1) or a stronger or more recent sign-in (RFC 9470). For a resource that
    /// refuses every token (`invalid_token`) it is shown once in a session.
    ///
    /// As long as nobody has asked a resource who issues tokens for it (RFC 9728), and a sign-in is needed, a GET, a HEAD or
    /// the first message of the Model Context Protocol is sent without a token first, so that its refusal says it. A success is
    /// the result then, and its response `isAnonymous`.
    ///
    /// For a named account the sign-in is the one of its provider, and leaves the active account as it is.
    /// - Throws: as ``data(for:as:scopes:)``, what the provider throws when the user did not sign in, and
    ///   ``ClientError/otherAccount(_:insteadOf:)`` when another account than the named one did: nothing is sent for it. A
    ///   refusal of the token of a sign-in is returned: no second one is shown.
    public func data(
        for request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = [], mayShowSignIn: Bool
    ) async throws -> (Data, HTTPURLResponse) {
        try await send(request, as: account, scopes: scopes, mayShowSignIn: mayShowSignIn) {
            try await $0.data(for: $1)
        }
    }

    /// `request` with the token, for another library: ``SessionProvider/authorize(_:for:scopes:)``.
    /// - Throws: as ``data(for:as:scopes:)``.
    public func authorize(
        _ request: URLRequest, as account: AccountID? = nil, scopes: Set<String> = []
    ) async throws -> URLRequest {
        try await acting(for: request, as: account, scopes) {
            try await $0.chain.authorize(request, for: $0.account, scopes: scopes)
        }
    }

    /// `request`, which was refused with 401, with another token; `nil` when there is none:
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
