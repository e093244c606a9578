import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request to the token endpoint (RFC 6749 section 3.2): always a form, never JSON.
public struct TokenRequest: Sendable {
    /// The token endpoint.
    public let tokenEndpoint: URL
    /// Who asks.
    public let client: OAuthClient
    /// What is traded.
    public let grant: TokenGrant
    /// Anything else a server wants. A name the protocol uses is refused.
    public var extraParameters: [FormField]

    /// Creates a request.
    public init(
        _ grant: TokenGrant, tokenEndpoint: URL, client: OAuthClient, extraParameters: [FormField] = []
    ) {
        self.grant = grant
        self.tokenEndpoint = tokenEndpoint
        self.client = client
        self.extraParameters = extraParameters
    }

    /// The request to send, once: the grant may be spent by it.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed or an extra parameter overrides one
    ///   of the protocol.
    public func urlRequest() throws -> URLRequest {
        let fields = [FormField("grant_type", grant.grantType.rawValue)] + grant.fields
        try requireUnreserved(
            extraParameters, beside: fields, reserved: OAuthClient.reservedParameters.union(["scope"]))
        return try client.request(to: tokenEndpoint, fields: fields + extraParameters)
    }

    /// Reads the answer.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/unusableAnswer(_:host:)``.
    public func response(from data: Data, _ response: HTTPURLResponse) throws -> TokenEndpointResponse {
        try TokenEndpointResponse(data, response, for: grant)
    }

    /// Sends the request and reads the answer. Nothing is repeated.
    /// - Throws: ``OAuthError``, or what the transport throws.
    public func send(using transport: any HTTPTransport) async throws -> TokenEndpointResponse {
        let (data, response) = try await transport.data(for: urlRequest())
        return try self.response(from: data, response)
    }
}
