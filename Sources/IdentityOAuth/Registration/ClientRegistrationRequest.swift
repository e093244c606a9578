import Foundation
import IdentityKit

/// A request to register a client (RFC 7591 section 3.1).
package struct ClientRegistrationRequest: Sendable {
    package let endpoint: URL
    package let metadata: ClientMetadata
    /// The token that authorizes the registration; `nil` for a server that lets everybody register.
    package let initialAccessToken: Secret?
    /// Restricts the endpoints of registration and configuration to `https`, or also allows `http` to this machine.
    package let transportSecurity: TransportSecurity

    package init(
        endpoint: URL, metadata: ClientMetadata, initialAccessToken: Secret? = nil,
        transportSecurity: TransportSecurity = .httpsOnly
    ) {
        self.endpoint = endpoint
        self.metadata = metadata
        self.initialAccessToken = initialAccessToken
        self.transportSecurity = transportSecurity
    }

    /// Creates a POST of the metadata as JSON, with the initial access token as a bearer token.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed or the metadata cannot be written
    ///   as JSON, and `MalformedTokenError` for an initial access token that no header can carry.
    package func urlRequest() throws -> URLRequest {
        try transportSecurity.require(endpoint)
        let request = try URLRequest.json(metadata.members, to: endpoint, method: "POST")
        return try initialAccessToken.map { try request.bearing($0.reveal()) } ?? request
    }

    /// Reads the response.
    /// - Throws: ``OAuthError/refused(_:)``, ``OAuthError/invalidResponse(_:host:)``, or
    ///   ``OAuthError/invalidRegistration(_:)`` when the server replaced a redirect URI, or the client cannot authenticate
    ///   by the registered method.
    package func client(from data: Data, _ response: HTTPURLResponse) throws -> RegisteredClient {
        try RegisteredClient(HTTPResponse(data, response), for: metadata, transportSecurity: transportSecurity)
    }

    /// Sends the request and reads the response.
    /// - Throws: ``OAuthError``, `MalformedTokenError` for the initial access token, or what the transport throws.
    package func send(using transport: any HTTPTransport) async throws -> RegisteredClient {
        let (data, response) = try await transport.data(for: urlRequest())
        return try client(from: data, response)
    }
}
