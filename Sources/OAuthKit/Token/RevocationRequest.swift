import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request to make a token worthless (RFC 7009).
public struct RevocationRequest: Sendable {
    /// The revocation endpoint.
    public let revocationEndpoint: URL
    /// Who asks.
    public let client: OAuthClient
    /// The token.
    public let token: Secret
    /// What kind of token it is, as a help to the server.
    public let tokenTypeHint: TokenTypeHint?

    /// Creates a request.
    public init(
        token: Secret, tokenTypeHint: TokenTypeHint? = nil, revocationEndpoint: URL, client: OAuthClient
    ) {
        self.token = token
        self.tokenTypeHint = tokenTypeHint
        self.revocationEndpoint = revocationEndpoint
        self.client = client
    }

    /// The request to send.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed.
    public func urlRequest() throws -> URLRequest {
        var fields = [FormField("token", token.reveal())]
        if let tokenTypeHint { fields.append(FormField("token_type_hint", tokenTypeHint.rawValue)) }
        return try client.request(to: revocationEndpoint, fields: fields)
    }

    /// Reads the answer: any success means that the token is worthless now, or was before; the body says nothing
    /// (RFC 7009 section 2.2).
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``; the token may still work then.
    public func checkResponse(_ data: Data, _ response: HTTPURLResponse) throws {
        try HTTPResponse(data, response).requireStatus(200..<300)
    }

    /// Sends the request and reads the answer.
    /// - Throws: ``OAuthError``, or what the transport throws.
    public func send(using transport: any HTTPTransport) async throws {
        try await client.send(proving: nil, using: transport, urlRequest, reading: checkResponse)
    }
}
