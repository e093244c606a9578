/// The name of a method by which a client authenticates, as in `token_endpoint_auth_method` (RFC 7591 section 2).
package struct ClientAuthenticationMethod: OpenEnum {
    /// The value as it is on the wire. A value that this version does not know is kept too.
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// No authentication: a public client, such as every app on a person's device.
    package static let none: ClientAuthenticationMethod = "none"
    /// A secret in the `Authorization` header (RFC 6749 section 2.3.1).
    package static let clientSecretBasic: ClientAuthenticationMethod = "client_secret_basic"
    /// A secret in the body (RFC 6749 section 2.3.1).
    package static let clientSecretPost: ClientAuthenticationMethod = "client_secret_post"
    /// An assertion that is signed with the secret (RFC 7523 section 2.2, OpenID Connect Core section 9).
    package static let clientSecretJWT: ClientAuthenticationMethod = "client_secret_jwt"
    /// An assertion that is signed with a key (RFC 7523 section 2.2).
    package static let privateKeyJWT: ClientAuthenticationMethod = "private_key_jwt"
}
