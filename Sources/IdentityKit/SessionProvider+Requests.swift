import Foundation

extension SessionProvider {
    /// Adds the access token to `request` as a bearer token (RFC 6750 section 2.1).
    /// - Throws: as ``/IdentityCore/IdentityProvider/accessToken(for:scopes:)``, and
    ///   ``/IdentityCore/MalformedTokenError``.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        try await bearing(request, for: accountID, scopes: scopes)
    }

    /// Replaces the bearer token of `request`; returns `nil` when it has none, or there is no other.
    /// - Throws: as ``/IdentityCore/AccountProvider/accessToken(for:scopes:replacing:)``.
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

    /// Replaces the bearer token of `request`; returns `nil` when it has none, or there is no other.
    func bearingOther(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        guard let rejected = request.bearerToken else { return nil }
        return try await rejected.replacingToken(text: { $0 }) {
            try await accessToken(for: accountID, scopes: scopes, replacing: $0)
        }.map { try request.bearing($0) }
    }
}

extension String {
    /// The token that `replace` returns for this one, which a server refused. Returns `nil`, not an error, when there
    /// is no other, because the server's response says more.
    /// - Parameters:
    ///   - text: the token in the result of `replace`.
    ///   - replace: gets another token.
    /// - Throws: what `replace` throws, except ``/IdentityCore/SessionError/cannotRefresh(_:)`` and
    ///   ``/IdentityCore/SessionError/suspended(_:_:)``.
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

    /// Whether the `Authorization` header contains an access token.
    var hasAccessToken: Bool { bearerToken != nil || authorization?.hasPrefix("DPoP ") ?? false }

    /// The request with `token` in its `Authorization` header.
    /// - Throws: ``/IdentityCore/MalformedTokenError`` for a token with spaces or control characters.
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
