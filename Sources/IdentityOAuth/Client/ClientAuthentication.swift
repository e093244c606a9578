import IdentityKit

/// The method by which a client authenticates in its requests to the token endpoint and to other endpoints of the
/// authorization server, such as the revocation endpoint.
public enum ClientAuthentication: Sendable {
    /// No authentication: a public client sends only its `client_id`, in the body (RFC 6749 section 3.2.1). Use this
    /// for every app on a person's device, because such an app cannot keep a secret.
    case none
    /// The identifier and the secret in `Authorization: Basic` (RFC 6749 section 2.3.1), both form-encoded unless
    /// ``RequestFormat/encodesBasic`` is `false`.
    case clientSecretBasic(Secret)
    /// The secret in the body (RFC 6749 section 2.3.1).
    case clientSecretPost(Secret)
    /// A JWT that the client signs for each request, usually with its private key (RFC 7523 section 2.2).
    case privateKeyJWT(ClientAssertion)
    /// A token signed with the client's secret by HS256 (RFC 7523 section 2.2, OpenID Connect Core section 9); the
    /// secret itself is never sent.
    case clientSecretJWT(ClientAssertion)
    /// A client secret that the client signs anew for each request: a JWT in the name of the client's owner, as Sign in
    /// with Apple requires.
    case signedSecret(ClientAssertion)
    /// A token about the client, signed by an issuer that the server trusts (RFC 7523 section 3), such as the platform
    /// on which the client runs.
    case assertion(Secret)

    /// The name of the method in metadata (RFC 7591 section 2). The name for ``signedSecret(_:)`` is
    /// `client_secret_post`, and the name for ``assertion(_:)`` is `private_key_jwt`.
    package var method: ClientAuthenticationMethod {
        switch self {
        case .none: .none
        case .clientSecretBasic: .clientSecretBasic
        case .clientSecretPost, .signedSecret: .clientSecretPost
        case .clientSecretJWT: .clientSecretJWT
        case .privateKeyJWT, .assertion: .privateKeyJWT
        }
    }
}
