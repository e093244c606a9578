import Foundation
import IdentityKit

/// An authorization request that the client posts to the server before it opens the browser. The browser then carries
/// only a reference to the request (RFC 9126).
package struct PushedAuthorizationRequest: Sendable {
    package let authorizationRequest: AuthorizationRequest
    package let client: OAuthClient
    package let endpoint: URL
    /// The prover for the key that the authorization code will be bound to (RFC 9449 section 10.1); `nil` to send no
    /// proof.
    package let dpop: DPoPProver?

    package init(
        _ authorizationRequest: AuthorizationRequest, client: OAuthClient, endpoint: URL, dpop: DPoPProver? = nil
    ) {
        self.authorizationRequest = authorizationRequest
        self.client = client
        self.endpoint = endpoint
        self.dpop = dpop
    }

    /// Returns the POST of the authorization request's parameters, with a new proof if ``dpop`` is set.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint or a parameter is not allowed, or a key or secret
    ///   cannot sign; `RandomnessError`.
    package func urlRequest() throws -> URLRequest {
        var request = try client.request(to: endpoint, fields: authorizationRequest.sentParameters)
        try dpop?.prove(&request)
        return request
    }

    /// Reads the response (RFC 9126 section 2.2) and returns the address to open in the browser. The address contains a
    /// reference that the server accepts for one sign-in only, and usually for a few minutes at most.
    /// - Throws: ``OAuthError/refused(_:)``, ``OAuthError/invalidResponse(_:host:)``, or
    ///   ``OAuthError/invalidSetting(_:)`` when the reference cannot be added to the authorization endpoint.
    package func url(from data: Data, _ response: HTTPURLResponse) throws -> URL {
        dpop?.learn(from: response)
        let received = HTTPResponse(data, response)
        let object = try received.object(statuses: [201])
        let reference = try received.requiredString("request_uri", in: object)
        return try authorizationRequest.url(with: [
            FormField("client_id", authorizationRequest.clientID), FormField("request_uri", reference),
        ])
    }

    /// Sends the request and returns the address to open in the browser.
    ///
    /// If the server refuses the DPoP proof and the request names the key's thumbprint, the request is sent again
    /// without the proof: the thumbprint binds the authorization code as well (RFC 9449 section 10.1). Some servers
    /// demand a nonce in the proof, yet send none from this endpoint.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func send(using transport: any HTTPTransport) async throws -> URL {
        do {
            return try await client.send(proving: dpop, using: transport, urlRequest, reading: url(from:_:))
        } catch OAuthError.refused(let refusal)
            where refusal.error == .invalidDPoPProof && dpop != nil && authorizationRequest.dpopKeyThumbprint != nil
        {
            return try await PushedAuthorizationRequest(authorizationRequest, client: client, endpoint: endpoint)
                .send(using: transport)
        }
    }
}
