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
    /// A token signed with the client's secret by HS256 (RFC 7523 section 2.2, OpenID Connect Core section 9); the
    /// secret itself is never sent.
    case clientSecretJWT(ClientAssertion)
    /// A client secret that is a token which the client signs in its owner's name for each request, as Sign in with
    /// Apple requires.
    case signedSecret(ClientAssertion)
    /// A token about the client, signed by an issuer that the server trusts (RFC 7523 section 3), such as the platform
    /// on which the client runs.
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
