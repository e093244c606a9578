import IdentityKit

extension LocalOpenIDConnectServer {
    /// A client of the server. Clients come from the configuration, the dashboard, a registration (RFC 7591) or a metadata
    /// document (``LocalOpenIDConnectServer/Configuration/clientDocuments``).
    public struct Client: Sendable {
        /// The method by which a client authenticates (`token_endpoint_auth_method`, RFC 7591 section 2).
        public enum Authentication: Sendable {
            /// `none`: the client is public, and sends only its identifier.
            case none
            /// `client_secret_basic`: the client sends this secret in the header `Authorization` (RFC 6749 section 2.3.1).
            case basic(Secret)
            /// `client_secret_post`: the client sends this secret in the form (RFC 6749 section 2.3.1).
            case post(Secret)
            /// `private_key_jwt` (RFC 7523 section 2.2): an assertion whose signature verifies with one of these public JWKs.
            case privateKeyJWT([JSONValue])
            /// `client_secret_jwt` (RFC 7523 section 2.2, OpenID Connect Core section 9): an assertion signed by HS256 with
            /// this secret, which must have at least 32 bytes (RFC 7518 section 3.2).
            case secretJWT(Secret)
            /// A client secret that is a JWT, as Apple requires. `issuer` is the owner of the client, and one of the public
            /// JWKs in `keys` must verify the signature.
            case signedSecret(issuer: String, keys: [JSONValue])
            /// The client sends a token of `issuer` about `subject` as its assertion (RFC 7523 section 3). `issuer`
            /// must be in ``LocalOpenIDConnectServer/Configuration/trustedIssuers``.
            case federated(issuer: String, subject: String)
        }

        /// A grant type of the token endpoint. The raw value is the parameter `grant_type`.
        public enum GrantType: String, Sendable, CaseIterable {
            /// The authorization code of a sign-in (RFC 6749 section 4.1).
            case authorizationCode = "authorization_code"
            /// A refresh token, exchanged for new tokens (RFC 6749 section 6).
            case refreshToken = "refresh_token"
            /// The client's own credentials (RFC 6749 section 4.4).
            case clientCredentials = "client_credentials"
            /// An assertion signed by a trusted issuer or the client (RFC 7523 section 2.1).
            case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            /// A token of this server or of a trusted issuer, exchanged for an access token (RFC 8693).
            case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            /// A device code, after the person has signed in on another device (RFC 8628).
            case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        }

        public var id: String
        /// The client's name on the sign-in, consent and device pages.
        public var name: String
        public var authentication: Authentication
        /// The allowed redirect URIs, compared as exact text. ``takesAnyLoopbackPort`` makes an exception for the port of
        /// loopback addresses.
        public var redirectURIs = ["com.example.app:/callback", "http://127.0.0.1/callback"]
        /// Addresses to which the server may redirect after a sign-out, compared like ``redirectURIs``.
        public var postLogoutRedirectURIs = ["com.example.app:/signed-out", "http://127.0.0.1/signed-out"]
        /// The grant types that the client may use, by default all.
        public var grantTypes = Set(GrantType.allCases)
        /// Whether an `http` URI of 127.0.0.1 or `[::1]` that is registered without a port matches with any port (RFC 8252
        /// section 7.3).
        public var takesAnyLoopbackPort = true
        /// Whether the client's tokens must be bound to a key (RFC 9449 section 5.2).
        public var requiresDPoP = false
        /// Whether the server skips the consent page, as for the operator's own clients.
        public var isTrusted = false

        /// Creates a client. `configure` can change the default settings, such as the right to use every grant type.
        public init(
            id: String, name: String = "Swift example", authentication: Authentication = .none,
            _ configure: (inout Client) -> Void = { _ in }
        ) {
            (self.id, self.name, self.authentication) = (id, name, authentication)
            configure(&self)
        }

        public static let publicApp = Client(id: "swift-app")

        /// A client whose identifier and secret work only if they are encoded correctly (RFC 6749 section 2.3.1).
        public static let service = Client(id: "swift service", authentication: .basic("a secret: +/%&é"))

        var isPublic: Bool { if case .none = authentication { true } else { false } }
    }

    /// The tenant of all users, if ``Variation/tenantIssuers`` is in effect. The tenant is the last path component of the
    /// issuer, and the claim `tid` of ID tokens.
    public static let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    /// A person who can sign in on the server's pages.
    public struct User: Sendable, Equatable, Codable {
        /// The subject identifier, which is `sub` in ID tokens, user info and introspection responses.
        public var id: String
        /// The user name to enter on the sign-in page, and `username` in introspection responses.
        public var username: String
        /// The password to enter on the sign-in page. For a browser on this machine, the page also has a button for each user
        /// who is not disabled. The buttons need no password.
        public var password: Secret
        /// The person's other claims (OpenID Connect Core section 5.1). The scope `email` selects `email` and `email_verified`,
        /// and the scope `profile` selects all others.
        public var claims: [String: JSONValue]

        /// Creates a user. The defaults are a user `ada` with the password `Enchantress-1`.
        public init(
            id: String = "248289761001",
            username: String = "ada",
            password: Secret = "Enchantress-1",
            claims: [String: JSONValue] = [
                "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
                "preferred_username": "ada", "email": "ada@example.org", "email_verified": true,
            ]
        ) {
            (self.id, self.username, self.password, self.claims) = (id, username, password, claims)
        }
    }
}
