import Foundation
import IdentityKit

/// Starts a sign-in that is finished on another device (RFC 8628 section 3.1).
package struct DeviceAuthorizationRequest: Sendable {
    package let deviceAuthorizationEndpoint: URL
    package let client: OAuthClient
    /// The scopes to ask for.
    package let scopes: [String]
    /// The separator of scopes: a space (RFC 6749 section 3.3), or at some servers a comma.
    package var scopeSeparator = " "
    /// Additional parameters for this server. Names that the protocol uses are refused.
    package var extraParameters: [FormField] = []

    package init(deviceAuthorizationEndpoint: URL, client: OAuthClient, scopes: [String]) {
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
        self.client = client
        self.scopes = scopes
    }

    /// The request to send.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint or a scope is not allowed.
    package func urlRequest() throws -> URLRequest {
        let name = client.requestFormat.deviceScopeName
        let fields = FormField.list([name: try scopeParameter(scopes, separator: scopeSeparator)])
        try requireUnreserved(
            extraParameters, beside: fields, reserved: OAuthClient.reservedParameters.union(["scope", name]))
        return try client.request(to: deviceAuthorizationEndpoint, fields: fields + extraParameters)
    }

    /// Reads the response.
    /// - Parameters:
    ///   - data: the body.
    ///   - response: the head.
    ///   - receivedAt: when it arrived; the codes' lifetime begins then.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    package func response(
        from data: Data, _ response: HTTPURLResponse, receivedAt: Date
    ) throws -> DeviceAuthorization {
        try DeviceAuthorization(
            HTTPResponse(data, response), scopes: scopes, transportSecurity: client.transportSecurity,
            receivedAt: receivedAt)
    }

    /// Sends the request and reads the response.
    /// - Throws: ``OAuthError``, or what the transport throws.
    package func send(
        using transport: any HTTPTransport, time: TimeSource = .system
    ) async throws -> DeviceAuthorization {
        try await client.send(proving: nil, using: transport, urlRequest) { data, response in
            try self.response(from: data, response, receivedAt: time.now)
        }
    }
}
