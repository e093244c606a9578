import Foundation
import IdentityKit

/// A request to register a client (RFC 7591 section 3.1).
package struct ClientRegistrationRequest: Sendable {
    package let endpoint: URL
    /// The client's description of itself.
    package let metadata: ClientMetadata
    /// A token for servers that do not let everybody register.
    package let initialAccessToken: Secret?
    /// Which addresses are acceptable.
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

    /// The request to send.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed, ``/IdentityCore/MalformedTokenError``.
    package func urlRequest() throws -> URLRequest {
        try transportSecurity.require(endpoint)
        let request = try URLRequest.json(metadata.members, to: endpoint, method: "POST")
        return try initialAccessToken.map { try request.bearing($0.reveal()) } ?? request
    }

    /// Reads the response.
    /// - Throws: ``OAuthError/refused(_:)``, ``OAuthError/invalidResponse(_:host:)``, or
    ///   ``OAuthError/invalidRegistration(_:)`` for a registration that cannot be used.
    package func client(from data: Data, _ response: HTTPURLResponse) throws -> RegisteredClient {
        try RegisteredClient(HTTPResponse(data, response), for: metadata, transportSecurity: transportSecurity)
    }

    /// Sends the request and reads the response.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package func send(using transport: any HTTPTransport) async throws -> RegisteredClient {
        let (data, response) = try await transport.data(for: urlRequest())
        return try client(from: data, response)
    }
}
