import Foundation
import IdentityKit

/// An authorization request that goes to the server directly, so that the browser carries a reference only (RFC 9126).
package struct PushedAuthorizationRequest: Sendable {
    /// The request that is pushed.
    package let authorizationRequest: AuthorizationRequest
    package let client: OAuthClient
    /// The pushed authorization request endpoint.
    package let endpoint: URL
    /// Binds the code to a key (RFC 9449 section 10.1).
    package let dpop: DPoPProver?

    package init(
        _ authorizationRequest: AuthorizationRequest, client: OAuthClient, endpoint: URL, dpop: DPoPProver? = nil
    ) {
        self.authorizationRequest = authorizationRequest
        self.client = client
        self.endpoint = endpoint
        self.dpop = dpop
    }

    /// The request to send.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint or an option is not allowed.
    package func urlRequest() throws -> URLRequest {
        var request = try client.request(to: endpoint, fields: authorizationRequest.sentParameters)
        try dpop?.prove(&request)
        return request
    }

    /// Reads the response (RFC 9126 section 2.2) and gives the address to open in the browser. It is good for one sign-in
    /// and about a minute.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    package func url(from data: Data, _ response: HTTPURLResponse) throws -> URL {
        dpop?.learn(from: response)
        let received = HTTPResponse(data, response)
        let object = try received.object(statuses: [201])
        let reference = try received.requiredString("request_uri", in: object)
        return try authorizationRequest.url(with: [
            FormField("client_id", authorizationRequest.clientID), FormField("request_uri", reference),
        ])
    }

    /// Sends the request and gives the address to open in the browser.
    ///
    /// If the server refuses the DPoP proof and the request names the key's thumbprint, the request is sent again
    /// without the proof: the thumbprint binds the code as well (RFC 9449 section 10.1). Some servers demand a nonce in
    /// the proof, yet send none from this endpoint.
    /// - Throws: ``OAuthError``, or what the transport throws.
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
