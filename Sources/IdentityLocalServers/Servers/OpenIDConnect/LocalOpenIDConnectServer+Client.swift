import IdentityKit

extension LocalOpenIDConnectServer {
    /// A client registered by an administrator (OpenID Connect Dynamic Client Registration section 2).
    public struct Client: Sendable {
        /// The client's authentication at the token endpoint.
        public enum Authentication: Sendable {
            /// None: the client is public and only sends its identifier.
            case none
            /// `client_secret_basic` (RFC 6749 section 2.3.1)
            case basic(Secret)
            /// `client_secret_post` (RFC 6749 section 2.3.1)
            case post(Secret)
            /// `private_key_jwt` (RFC 7523 section 2.2): an assertion signed by one of these public JWKs.
            case privateKeyJWT([JSONValue])
            /// `client_secret_jwt` (RFC 7523 section 2.2, OpenID Connect Core section 9): an assertion signed by HS256 with
            /// this secret, which has at least 32 bytes (RFC 7518 section 3.2).
            case secretJWT(Secret)
            /// A client secret that is a token, signed by one of these public JWKs in the name of the client's owner,
            /// as Apple requires.
            case signedSecret(issuer: String, keys: [JSONValue])
            /// A token of a trusted issuer about this subject, instead of the client's own assertion (RFC 7523 section 3).
            case federated(issuer: String, subject: String)
        }

        /// The grants of the token endpoint.
        public enum GrantType: String, Sendable, CaseIterable {
            /// The authorization code of a sign-in (RFC 6749 section 4.1).
            case authorizationCode = "authorization_code"
            /// A refresh (RFC 6749 section 6).
            case refreshToken = "refresh_token"
            /// The client's own credentials (RFC 6749 section 4.4).
            case clientCredentials = "client_credentials"
            /// An assertion signed by a trusted issuer or the client (RFC 7523 section 2.1).
            case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
            /// Exchanges a token for another (RFC 8693).
            case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            /// A sign-in on another device (RFC 8628).
            case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        }

        public var id: String
        /// The name shown to people.
        public var name: String
        public var authentication: Authentication
        /// Allowed redirect URIs, compared as exact text; with ``takesAnyLoopbackPort``, loopback addresses match with
        /// any port (RFC 8252 section 7.3).
        public var redirectURIs = ["com.example.app:/callback", "http://127.0.0.1/callback"]
        /// Allowed addresses after a sign-out, compared like ``redirectURIs``.
        public var postLogoutRedirectURIs = ["com.example.app:/signed-out", "http://127.0.0.1/signed-out"]
        /// The grants that the client may use.
        public var grantTypes = Set(GrantType.allCases)
        /// Whether loopback addresses match with any port.
        public var takesAnyLoopbackPort = true
        /// Whether the client's tokens must be bound to a key (RFC 9449 section 5.2).
        public var requiresDPoP = false
        /// Whether the server skips the consent page, as for the operator's own clients.
        public var isTrusted = false

        /// Creates a client that may use every grant.
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

    /// The tenant of all people, for servers whose issuer contains one.
    public static let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    /// A person who signs in with a password.
    public struct User: Sendable, Equatable, Codable {
        /// The subject identifier: `sub` of every token.
        public var id: String
        /// The user name for the sign-in page.
        public var username: String
        /// The password for the sign-in page.
        public var password: Secret
        /// The person's other claims (OpenID Connect Core section 5.1), of which the scopes select some.
        public var claims: [String: JSONValue]

        /// Creates a user, by default one called Ada.
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
