import Foundation

extension SessionProvider {
    /// Adds the access token to `request` as a bearer token (RFC 6750 section 2.1).
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``, and an error with the code
    ///   `token_malformed` for a token that no header can carry.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        try await bearing(request, for: accountID, scopes: scopes)
    }

    /// Replaces the bearer token of `request`.
    /// - Returns: `nil` when the request has no bearer token, the provider has no other token, or the session is
    ///   suspended or cannot be refreshed.
    /// - Throws: as ``/IdentityCore/AccountProvider/accessToken(for:scopes:resource:freshness:)`` in other cases, and
    ///   an error with the code `token_malformed` for a token that no header can carry.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        try await bearingOther(request, for: accountID, scopes: scopes)
    }
}

extension AccountProvider {
    func bearing(_ request: URLRequest, for accountID: AccountID, scopes: Set<String>) async throws -> URLRequest {
        try request.bearing(try await accessToken(for: accountID, scopes: scopes))
    }

    /// Replaces the bearer token of `request`.
    /// - Returns: `nil` when the request has no bearer token, the provider has no other token, or the session is
    ///   suspended or cannot be refreshed.
    func bearingOther(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        guard let rejected = request.bearerToken else { return nil }
        return try await rejected.replacingToken(text: { $0 }) {
            try await accessToken(for: accountID, scopes: scopes, resource: nil, freshness: .other(than: $0))
        }.map { try request.bearing($0) }
    }
}

extension String {
    /// Gets a different token after a server has refused this one.
    /// - Parameters:
    ///   - text: returns the text of a token that `replace` returned.
    ///   - replace: gets another token for the refused one.
    /// - Returns: `nil` when `replace` returns the same token, or throws
    ///   ``/IdentityCore/SessionError/cannotRefresh(_:)`` or ``/IdentityCore/SessionError/suspended(_:_:)``. The server's
    ///   response explains the refusal better than these errors.
    /// - Throws: all other errors of `replace`.
    package func replacingToken<Token>(
        text: (Token) -> String, _ replace: (String) async throws -> Token
    ) async throws -> Token? {
        do {
            let token = try await replace(self)
            return text(token) == self ? nil : token
        } catch SessionError.cannotRefresh, SessionError.suspended {
            return nil
        }
    }
}

extension URLRequest {
    private static let bearerPrefix = "Bearer "

    var authorization: String? { value(forHTTPHeaderField: "Authorization") }

    /// Whether the `Authorization` header contains an access token, with the scheme `Bearer` or `DPoP`.
    var hasAccessToken: Bool { bearerToken != nil || authorization?.hasPrefix("DPoP ") ?? false }

    /// The request with `token` as a bearer token in its `Authorization` header.
    /// - Throws: `MalformedTokenError` for a token that is empty, or has control characters or characters outside of
    ///   ASCII.
    package func bearing(_ token: String) throws -> URLRequest {
        var copy = self
        copy.setValue(Self.bearerPrefix + (try token.asToken()), forHTTPHeaderField: "Authorization")
        return copy
    }

    /// The token in the `Authorization` header; `nil` without one, or with another scheme than `Bearer` in this spelling.
    package var bearerToken: String? {
        guard let authorization, authorization.hasPrefix(Self.bearerPrefix) else { return nil }
        return String(authorization.dropFirst(Self.bearerPrefix.count))
    }

    /// Checks that the request goes over TLS or stays on this machine.
    /// - Throws: ``ClientError/insecureRequest(_:)``.
    package func checkMayCarryToken() throws {
        guard let url, url.scheme?.lowercased() == "https" || ServerURL.isLoopback(url.host ?? "") else {
            throw ClientError.insecureRequest(url?.host ?? "an unknown host")
        }
    }
}
