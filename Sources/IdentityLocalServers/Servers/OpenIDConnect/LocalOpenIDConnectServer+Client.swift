import IdentityKit

extension LocalOpenIDConnectServer {
    /// A client as an administrator registers it (OpenID Connect Dynamic Client Registration section 2).
    public struct Client: Sendable {
        /// How the client authenticates at the token endpoint.
        public enum Authentication: Sendable {
            /// The client is public and only names itself.
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
            /// A token in the place of a secret in the body, signed by one of these public JWKs in the name of the client's
            /// owner, as Apple wants it.
            case signedSecret(issuer: String, keys: [JSONValue])
            /// A token of a trusted issuer about this subject, in the place of an assertion of the client's own
            /// (RFC 7523 section 3).
            case federated(issuer: String, subject: String)
        }

        /// The grants of the token endpoint.
        public enum GrantType: String, Sendable, CaseIterable {
            /// A code of a sign-in (RFC 6749 section 4.1).
            case authorizationCode = "authorization_code"
            /// A refresh (RFC 6749 section 6).
            case refreshToken = "refresh_token"
            /// The client for itself (RFC 6749 section 4.4).
            case clientCredentials = "client_credentials"
            /// A token that somebody else signed (RFC 7523 section 2.1).
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
        /// Allowed targets of authorization responses, compared as exact text except for the port of a loopback address
        /// (RFC 8252 section 7.3), where ``takesAnyLoopbackPort`` is set.
        public var redirectURIs = ["com.example.app:/callback", "http://127.0.0.1/callback"]
        /// Allowed targets of sign-outs, compared in the same way.
        public var postLogoutRedirectURIs = ["com.example.app:/signed-out", "http://127.0.0.1/signed-out"]
        /// The grants it may use.
        public var grantTypes = Set(GrantType.allCases)
        /// Whether a loopback address may come with any port.
        public var takesAnyLoopbackPort = true
        /// Whether its tokens must be bound to a key (RFC 9449 section 5.2).
        public var requiresDPoP = false
        /// Whether the server skips the consent page, as for the operator's own clients.
        public var isTrusted = false

        /// A client with every grant.
        public init(
            id: String, name: String = "Swift example", authentication: Authentication = .none,
            _ configure: (inout Client) -> Void = { _ in }
        ) {
            (self.id, self.name, self.authentication) = (id, name, authentication)
            configure(&self)
        }

        public static let publicApp = Client(id: "swift-app")

        /// A client with a secret that survives only correct encoding (RFC 6749 section 2.3.1).
        public static let service = Client(id: "swift service", authentication: .basic("a secret: +/%&é"))

        var isPublic: Bool { if case .none = authentication { true } else { false } }
    }

    /// The tenant of every person, where issuers have one in their names.
    public static let tenant = "8eaef023-2b34-4da1-9baa-8bc8c9d6a490"

    /// A person with a password.
    public struct User: Sendable, Equatable, Codable {
        /// The subject identifier: `sub` of every token.
        public var id: String
        /// Text to type into the first field.
        public var username: String
        /// Text to type into the second field.
        public var password: Secret
        /// The other claims (OpenID Connect Core section 5.1), as far as the scopes allow.
        public var claims: [String: JSONValue]

        /// A user called Ada by default.
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
