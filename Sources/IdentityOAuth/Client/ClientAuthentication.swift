import IdentityKit

/// How the client proves who it is to the token endpoint and its siblings.
public enum ClientAuthentication: Sendable {
    /// A public client: `client_id` in the body (RFC 6749 section 3.2.1). Right for every app on a person's device.
    case none
    /// The secret in `Authorization: Basic`, identifier and secret form-encoded first (RFC 6749 section 2.3.1).
    case clientSecretBasic(Secret)
    /// The secret in the body (RFC 6749 section 2.3.1).
    case clientSecretPost(Secret)
    /// A token signed by the client (RFC 7523 section 2.2).
    case privateKeyJWT(ClientAssertion)
    /// A token signed with the client's secret by HS256 (RFC 7523 section 2.2, OpenID Connect Core section 9), which the server
    /// never sees.
    case clientSecretJWT(ClientAssertion)
    /// A secret in the body that the client makes on the spot: a token that it signs in the name of its owner. Apple wants
    /// that of clients for Sign in with Apple.
    case signedSecret(ClientAssertion)
    /// A token that an issuer which the server trusts signed about the client (RFC 7523 section 3), such as the platform
    /// that the client runs on.
    case assertion(Secret)

    /// The method's name in metadata.
    public var method: ClientAuthenticationMethod {
        switch self {
        case .none: .none
        case .clientSecretBasic: .clientSecretBasic
        case .clientSecretPost, .signedSecret: .clientSecretPost
        case .clientSecretJWT: .clientSecretJWT
        case .privateKeyJWT, .assertion: .privateKeyJWT
        }
    }
}
