import Foundation
import IdentityKit

/// A request to start a sign-in that a person finishes on another device (RFC 8628 section 3.1).
package struct DeviceAuthorizationRequest: Sendable {
    package let deviceAuthorizationEndpoint: URL
    package let client: OAuthClient
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

    /// Returns the POST that starts the sign-in, with new authentication of the client.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint, the client's identifier, a scope or an extra
    ///   parameter is not allowed, or the client's key or secret cannot sign; `RandomnessError`.
    package func urlRequest() throws -> URLRequest {
        let name = client.requestFormat.deviceScopeName
        let fields = FormField.list([name: try scopeParameter(scopes, separator: scopeSeparator)])
        try requireUnreserved(
            extraParameters, beside: fields, reserved: OAuthClient.reservedParameters.union(["scope", name]))
        return try client.request(to: deviceAuthorizationEndpoint, fields: fields + extraParameters)
    }

    /// Reads the response, which contains the device code and the user code (RFC 8628 section 3.2).
    /// - Parameters:
    ///   - data: the body of the response.
    ///   - response: the status and the headers.
    ///   - receivedAt: the time at which the response arrived; the codes' lifetime begins then.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    package func response(
        from data: Data, _ response: HTTPURLResponse, receivedAt: Date
    ) throws -> DeviceAuthorization {
        try DeviceAuthorization(
            HTTPResponse(data, response), scopes: scopes, transportSecurity: client.transportSecurity,
            receivedAt: receivedAt)
    }

    /// Sends the request and returns the started sign-in. The codes' lifetime begins when the response arrives, by
    /// `time`.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func send(
        using transport: any HTTPTransport, time: TimeSource = .system
    ) async throws -> DeviceAuthorization {
        try await client.send(proving: nil, using: transport, urlRequest) { data, response in
            try self.response(from: data, response, receivedAt: time.now)
        }
    }
}
