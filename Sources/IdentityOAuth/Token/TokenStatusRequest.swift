import Foundation
import IdentityKit

/// A request about one token, to revoke it (RFC 7009) or to introspect it (RFC 7662). Most servers let only
/// confidential clients introspect.
package struct TokenStatusRequest<Outcome: Sendable>: Sendable {
    /// The client that sends the request and authenticates itself in it.
    package let client: OAuthClient
    package let token: Secret
    /// The kind of the token, which helps the server to find the token; `nil` sends no hint.
    package let tokenTypeHint: TokenTypeHint?
    private let endpoint: URL
    private let read: @Sendable (HTTPResponse) throws -> Outcome

    /// Creates the POST request with the token and the client's authentication.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint, the client's identifier or the name of a field is
    ///   not allowed, or the client's key or secret cannot sign; `RandomnessError`.
    package func urlRequest() throws -> URLRequest {
        let fields = FormField.list(["token": token.reveal(), "token_type_hint": tokenTypeHint?.rawValue])
        return try client.request(to: endpoint, fields: fields)
    }

    /// Sends the request and reads the response. The error for a refusal names the host and the HTTP status.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func send(using transport: any HTTPTransport) async throws -> Outcome {
        try await client.send(proving: nil, using: transport, urlRequest) {
            try await HTTPResponse($0, $1).namingItself { try read($0) }
        }
    }
}

/// A request to revoke a token (RFC 7009).
package typealias RevocationRequest = TokenStatusRequest<Void>

extension TokenStatusRequest<Void> {
    /// Creates a request to revoke `token`. Any response with a status from 200 to 299 counts as success.
    package init(token: Secret, tokenTypeHint: TokenTypeHint? = nil, revocationEndpoint: URL, client: OAuthClient) {
        self.init(client: client, token: token, tokenTypeHint: tokenTypeHint, endpoint: revocationEndpoint) {
            try $0.requireStatus(200..<300)
        }
    }

    package var revocationEndpoint: URL { endpoint }

    /// Checks that the response has a status from 200 to 299. Such a response means that the token is no longer valid. Its
    /// body is ignored (RFC 7009 section 2.2).
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``; the token may then still be valid.
    package func checkResponse(_ data: Data, _ response: HTTPURLResponse) throws {
        try read(HTTPResponse(data, response))
    }
}

/// A request to introspect a token (RFC 7662).
package typealias IntrospectionRequest = TokenStatusRequest<IntrospectionResponse>

extension TokenStatusRequest<IntrospectionResponse> {
    /// Creates a request to introspect `token`. The response must be a JSON object with the member `active`.
    package init(token: Secret, tokenTypeHint: TokenTypeHint? = nil, introspectionEndpoint: URL, client: OAuthClient) {
        self.init(client: client, token: token, tokenTypeHint: tokenTypeHint, endpoint: introspectionEndpoint) {
            try IntrospectionResponse($0)
        }
    }

    package var introspectionEndpoint: URL { endpoint }

    /// Reads the response. The response for an unusable token is not an error, but has `active` set to `false`.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    package func response(from data: Data, _ response: HTTPURLResponse) throws -> IntrospectionResponse {
        try read(HTTPResponse(data, response))
    }
}
