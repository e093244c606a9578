import Foundation
import IdentityKit

/// A request to read, change or delete an existing registration (RFC 7592).
package struct ClientConfigurationRequest: Sendable {
    /// The operations on a registration that RFC 7592 defines.
    package enum Action: Sendable, Hashable {
        /// Reads the registration (RFC 7592 section 2.1).
        case read
        /// Replaces all metadata of the registration (RFC 7592 section 2.2).
        case update(ClientMetadata)
        /// Deletes the registration. The server should also invalidate the client's tokens (RFC 7592 section 2.3).
        case delete
    }

    package let client: RegisteredClient
    package let action: Action
    /// Restricts the client configuration endpoint to `https`, or also allows `http` to this machine.
    package let transportSecurity: TransportSecurity

    package init(_ action: Action, _ client: RegisteredClient, transportSecurity: TransportSecurity = .httpsOnly) {
        self.action = action
        self.client = client
        self.transportSecurity = transportSecurity
    }

    /// Creates the request, with the registration access token as a bearer token.
    /// - Throws: ``OAuthError/invalidRegistration(_:)`` for a client without a configuration endpoint or a registration
    ///   access token, ``OAuthError/invalidSetting(_:)`` when the endpoint is not allowed or the metadata cannot be
    ///   written as JSON, and `MalformedTokenError`.
    package func urlRequest() throws -> URLRequest {
        guard let endpoint = client.configurationEndpoint, let token = client.registrationAccessToken else {
            throw OAuthError.invalidRegistration(.notManageable)
        }
        try transportSecurity.require(endpoint)
        switch action {
        case .read: return try URLRequest.json(from: endpoint).bearing(token.reveal())
        case .delete:
            var request = URLRequest.json(from: endpoint)
            request.httpMethod = "DELETE"
            return try request.bearing(token.reveal())
        case .update(let metadata):
            var members = metadata.members
            members["client_id"] = .string(client.id)
            members["client_secret"] = client.secret.map { .string($0.reveal()) }
            return try URLRequest.json(members, to: endpoint, method: "PUT").bearing(token.reveal())
        }
    }

    /// Reads the response.
    /// - Returns: the client as it is registered now; `nil` after a deletion. If the response has no configuration endpoint or
    ///   no registration access token, the client keeps the former one.
    /// - Throws: ``OAuthError/refused(_:)``, ``OAuthError/invalidResponse(_:host:)``, or
    ///   ``OAuthError/invalidRegistration(_:)``.
    package func client(from data: Data, _ response: HTTPURLResponse) throws -> RegisteredClient? {
        let received = HTTPResponse(data, response)
        if action == .delete {
            try received.requireStatus([204, 200])
            return nil
        }
        var metadata = ClientMetadata(redirectURIs: client.redirectURIs.compactMap(URL.init(string:)))
        metadata.authenticationMethod = client.authenticationMethod
        if case .update(let wanted) = action { metadata = wanted }
        var read = try RegisteredClient(received, for: metadata, transportSecurity: transportSecurity)
        guard read.id.hasBytes(of: client.id) else { throw received.unusable(.invalidMember("client_id")) }
        read.configurationEndpoint = read.configurationEndpoint ?? client.configurationEndpoint
        read.registrationAccessToken = read.registrationAccessToken ?? client.registrationAccessToken
        return read
    }

    /// Sends the request and reads the response.
    /// - Returns: the client as it is registered now; `nil` after a deletion.
    /// - Throws: ``OAuthError``, `MalformedTokenError`, or what the transport throws.
    package func send(using transport: any HTTPTransport) async throws -> RegisteredClient? {
        let (data, response) = try await transport.data(for: urlRequest())
        return try client(from: data, response)
    }
}
