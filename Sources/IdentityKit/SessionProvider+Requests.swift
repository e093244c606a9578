import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionProvider {
    /// `request` with the access token as a bearer token (RFC 6750, section 2.1).
    /// - Throws: as ``IdentityProvider/accessToken(for:scopes:)``, and ``MalformedTokenError``.
    public func authorize(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest {
        try request.bearing(try await accessToken(for: accountID, scopes: scopes))
    }

    /// `request` with another bearer token than the one it has; `nil` when it has none, or there is no other.
    /// - Throws: as ``accessToken(for:scopes:replacing:)``.
    public func reauthorize(
        _ request: URLRequest, after response: HTTPURLResponse?, for accountID: AccountID, scopes: Set<String>
    ) async throws -> URLRequest? {
        guard let rejected = request.bearerToken else { return nil }
        do {
            let token = try await accessToken(for: accountID, scopes: scopes, replacing: rejected)
            return token == rejected ? nil : try request.bearing(token)
        } catch SessionError.cannotRefresh {
            // There is no other token, and what the server said about this one is worth more than that.
            return nil
        }
    }

    /// Sends `request` for the account. One that is refused with 401 is sent once more with another token; where the
    /// server first asks for something else, such as a nonce in a proof, twice.
    /// - Throws: ``ClientError/insecureRequest(_:)`` for plain HTTP to another machine, otherwise what the provider or the
    ///   transport throws. A refusal that stands is returned as it is.
    package func send(
        _ request: URLRequest, for accountID: AccountID, scopes: Set<String>, using transport: any HTTPTransport
    ) async throws -> (Data, HTTPURLResponse) {
        try request.checkMayCarryToken()
        var request = try await authorize(request, for: accountID, scopes: scopes)
        var (data, response) = try await transport.data(for: request)
        for _ in 1...2 where response.statusCode == 401 {
            guard let again = try await reauthorize(request, after: response, for: accountID, scopes: scopes) else {
                break
            }
            let hasNewToken = again.authorization != request.authorization
            request = again
            (data, response) = try await transport.data(for: request)
            if hasNewToken { break }
        }
        return (data, response)
    }
}

extension URLRequest {
    private static let bearerPrefix = "Bearer "

    /// The `Authorization` header.
    var authorization: String? { value(forHTTPHeaderField: "Authorization") }

    /// The request with `token` in its `Authorization` header.
    /// - Throws: ``MalformedTokenError`` for one that is more than the one word of the header.
    package func bearing(_ token: String) throws -> URLRequest {
        var copy = self
        copy.setValue(Self.bearerPrefix + (try token.asToken()), forHTTPHeaderField: "Authorization")
        return copy
    }

    /// The token in the `Authorization` header.
    package var bearerToken: String? {
        guard let authorization, authorization.hasPrefix(Self.bearerPrefix) else { return nil }
        return String(authorization.dropFirst(Self.bearerPrefix.count))
    }

    /// A token leaves this machine only under TLS.
    /// - Throws: ``ClientError/insecureRequest(_:)``.
    package func checkMayCarryToken() throws {
        guard let url, url.scheme?.lowercased() == "https" || ServerURL.isLoopback(url.host ?? "") else {
            throw ClientError.insecureRequest(url?.host ?? "an unknown host")
        }
    }
}
