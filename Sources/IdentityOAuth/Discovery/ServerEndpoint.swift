/// An endpoint of an authorization server. The raw value is the name of its member in the server's metadata.
public enum ServerEndpoint: String, Sendable, Codable, CodingKey, CaseIterable {
    /// The authorization endpoint, which a sign-in opens in the browser (RFC 6749 section 3.1).
    case authorization = "authorization_endpoint"
    /// The token endpoint (RFC 6749 section 3.2). A server with only the implicit flow has none.
    case token = "token_endpoint"
    /// The document with the server's public keys (RFC 7517 section 5).
    case jwks = "jwks_uri"
    /// The endpoint that returns claims about the person (OpenID Connect Core section 5.3).
    case userinfo = "userinfo_endpoint"
    /// The endpoint that revokes tokens (RFC 7009).
    case revocation = "revocation_endpoint"
    /// The endpoint that reports whether a token is active, and its details (RFC 7662).
    case introspection = "introspection_endpoint"
    /// The endpoint at which the person signs out in the browser (OpenID Connect RP-Initiated Logout).
    case endSession = "end_session_endpoint"
    /// The endpoint that starts the device flow (RFC 8628).
    case deviceAuthorization = "device_authorization_endpoint"
    /// The endpoint that takes pushed authorization requests (RFC 9126).
    case pushedAuthorizationRequest = "pushed_authorization_request_endpoint"
    /// The endpoint at which clients register themselves (RFC 7591).
    case registration = "registration_endpoint"

    /// Whether an unacceptable address of this endpoint makes the whole document invalid.
    var isEssential: Bool { [.authorization, .token, .jwks].contains(self) }
}
