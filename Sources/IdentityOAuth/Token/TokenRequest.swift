import Foundation
import IdentityKit

/// A request to the token endpoint (RFC 6749 section 3.2): always a form, never JSON.
package struct TokenRequest: Sendable {
    package let tokenEndpoint: URL
    package let client: OAuthClient
    package let grant: TokenGrant
    /// Additional parameters for this server. Names that the protocol uses are refused.
    package var extraParameters: [FormField]

    /// The prover of the key that the tokens will be bound to (RFC 9449 section 5); `nil` for bearer tokens.
    package var dpop: DPoPProver?
    /// The deviations of the server's responses from RFC 6749.
    package var responseFormat: TokenResponseFormat
    /// The separator between scopes, which is a space in RFC 6749 section 3.3.
    package var scopeSeparator = " "

    package init(
        _ grant: TokenGrant, tokenEndpoint: URL, client: OAuthClient, extraParameters: [FormField] = [],
        dpop: DPoPProver? = nil, responseFormat: TokenResponseFormat = TokenResponseFormat()
    ) {
        self.dpop = dpop
        self.responseFormat = responseFormat
        self.grant = grant
        self.tokenEndpoint = tokenEndpoint
        self.client = client
        self.extraParameters = extraParameters
    }

    /// Creates the request with a new proof and new client authentication. Send it only once, because it may spend the grant.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` when the endpoint, the client's identifier or a scope is not
    ///   allowed, an extra parameter has a name of the protocol, or a key or secret cannot sign; `RandomnessError`.
    package func urlRequest() throws -> URLRequest {
        var fields = [FormField("grant_type", grant.grantType.rawValue)] + grant.fields
        let isDevice = grant.grantType == .deviceCode
        let scopeName = isDevice ? client.requestFormat.deviceScopeName : "scope"
        if grant.sendsScopes || (isDevice && scopeName != "scope") {
            let scopes = try scopeParameter(grant.requestedScopes ?? [], separator: scopeSeparator)
            fields += FormField.list([scopeName: scopes])
        }
        try requireUnreserved(extraParameters, beside: fields, reserved: Self.reservedParameters)
        var request = try client.request(to: tokenEndpoint, fields: fields + extraParameters)
        try dpop?.prove(&request)
        return request
    }

    /// Checks that no parameter has a name that is reserved for all grants. ``urlRequest()`` also refuses the names of the
    /// grant's own parameters.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a reserved name.
    package static func checkExtraParameters(_ parameters: [FormField]) throws {
        try requireUnreserved(parameters, beside: [], reserved: reservedParameters)
    }

    /// Names of client authentication, RFC 6749, RFC 7636, RFC 8628 and OpenID Connect CIBA Core. They are reserved even for
    /// grants that do not use them.
    private static let reservedParameters = OAuthClient.reservedParameters.union([
        "grant_type", "scope", "code", "redirect_uri", "code_verifier", "refresh_token", "device_code",
        "auth_req_id",
    ])

    /// Reads the response.
    /// - Throws: ``OAuthError/refused(_:)`` or ``OAuthError/invalidResponse(_:host:)``.
    package func response(from data: Data, _ response: HTTPURLResponse) throws -> TokenEndpointResponse {
        do {
            return try read(data, response)
        } catch let unusable as UnusableAccessTokenError {
            throw unusable.reason
        }
    }

    /// Sends the request and reads the response. The request is sent again only after a refusal that leaves the grant unspent
    /// and contains what a new request needs: a nonce for the proof (RFC 9449 section 8), or a `Date` that corrects the time of
    /// the proof or of the client's assertion.
    /// - Throws: ``OAuthError``, `RandomnessError`, `CancellationError`, or what the transport throws.
    package func send(using transport: any HTTPTransport) async throws -> TokenEndpointResponse {
        try await client.send(proving: dpop, using: transport, urlRequest, reading: response(from:_:))
    }

    /// Reads the response, from which the prover learns the next nonce.
    /// - Throws: as `response(from:_:)`, and ``UnusableAccessTokenError`` if the response to a refresh has a refresh
    ///   token but no usable access token.
    func read(_ data: Data, _ response: HTTPURLResponse) throws -> TokenEndpointResponse {
        dpop?.learn(from: response)
        return try TokenEndpointResponse(
            HTTPResponse(data, response, tolerating: grant.tolerance, errorName: responseFormat.names["error"]),
            for: grant, dpop != nil, responseFormat)
    }
}
