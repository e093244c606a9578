import IdentityKit

extension LocalThunderIDServer {
    /// An application registered by an administrator.
    public struct Application: Sendable {
        /// The kind of program, which decides who may start a flow (Backends/ThunderID.md#who-may-start-a-flow).
        public enum Kind: String, Sendable, CaseIterable {
            /// Code that runs in a browser.
            case browser
            /// An app on a person's device.
            case mobile
            /// A server that shows pages.
            case fullstack
            /// A program of any kind, whose settings alone decide.
            case custom
            /// A client of the Model Context Protocol.
            case mcp
            /// A program that acts without a person.
            case m2m
        }

        /// The way in which a mobile application proves that it is genuine.
        public enum Attestation: Sendable {
            /// Nothing is configured, so native flows are refused.
            case unconfigured
            /// No attestation is required.
            case developmentMode
            /// The platform's attestation is required; this value stands for one that verifies.
            case platform(accepting: Secret)
            /// The platform's attestation is required, but the server is unable to verify it.
            case brokenPlatform
        }

        /// The grants of the token endpoint that the local server knows.
        public enum GrantType: String, Sendable, CaseIterable {
            /// The authorization code of a sign-in (RFC 6749 section 4.1).
            case authorizationCode = "authorization_code"
            /// A refresh (RFC 6749 section 6).
            case refreshToken = "refresh_token"
            /// An exchange of a token for another (RFC 8693).
            case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            /// The client's own credentials (RFC 6749 section 4.4).
            case clientCredentials = "client_credentials"
            /// A sign-in that a person confirms after a message (OpenID Connect CIBA).
            case backchannel = "urn:openid:params:grant-type:ciba"
        }

        /// The client's authentication at the token endpoint.
        public enum ClientAuthentication: Sendable, Equatable {
            /// None: the client is public and only sends its identifier.
            case none
            case basic(Secret)
            case post(Secret)
            /// `private_key_jwt` with one of these public JWKs (RFC 7523)
            case privateKeyJWT(keys: [JSONValue])
        }

        /// The application's identifier: `applicationId` of flows, and `aud` of assertions.
        public var id: String
        /// The OAuth client identifier.
        public var clientID: String
        /// The name shown to people.
        public var name: String
        /// A sentence shown to people.
        public var description: String
        /// The kind of program.
        public var type: Kind
        /// The proof that a mobile application is genuine.
        public var attestation: Attestation
        /// The `Flow-Secret` with which the application's own server starts flows.
        public var flowSecret: Secret?
        /// The grants that the client may use; without any, it is not an OAuth client.
        public var grantTypes: Set<GrantType>
        /// Allowed targets of authorization responses, compared as exact text.
        public var redirectURIs: [String]
        /// Allowed targets of sign-outs, compared as exact text.
        public var postLogoutRedirectURIs: [String]
        /// The client's authentication at the token endpoint.
        public var clientAuthentication: ClientAuthentication
        /// Whether PKCE is required even though the client has a secret.
        public var requiresPKCE: Bool
        /// The accepted user types; if there are several, a registration asks for the type.
        public var userTypes: [String]
        /// Whether a registration flow may be started.
        public var isRegistrationEnabled: Bool
        /// Whether a recovery flow may be started.
        public var isRecoveryEnabled: Bool
        /// The attributes in a native assertion.
        public var assertionAttributes: [String]
        /// The attributes in an access token.
        public var accessTokenAttributes: [String]
        /// The attributes in an ID token and user info, as far as the scopes allow them.
        public var idTokenAttributes: [String]
        /// Whether access tokens are bound to a key, so that every token request needs a proof (RFC 9449).
        public var requiresDPoP = false
        /// Whether authorization requests must be pushed (RFC 9126).
        public var requiresPushedRequests = false
        /// Whether the userinfo endpoint responds with a signed JWT.
        public var signsUserInfo = false
        /// Address of the logo, which may have any scheme.
        public var logoURL: String?
        public var url: String?
        /// Address of the terms of service.
        public var termsURL: String?
        public var policyURL: String?

        /// Creates a public mobile application that may use native flows and the authorization endpoint.
        public init(
            id: String = "01900000-0000-7000-8000-0000000000a1", clientID: String = "swift-demo",
            name: String = "Swift demo", description: String = "An application that signs people in.",
            type: Kind = .mobile, attestation: Attestation = .developmentMode, flowSecret: Secret? = nil,
            grantTypes: Set<GrantType> = [.authorizationCode, .refreshToken, .tokenExchange],
            redirectURIs: [String] = ["com.example.app://callback", "http://127.0.0.1:9999/callback"],
            postLogoutRedirectURIs: [String] = ["com.example.app://signed-out"],
            clientAuthentication: ClientAuthentication = .none, requiresPKCE: Bool = true,
            userTypes: [String] = ["Person"], isRegistrationEnabled: Bool = true, isRecoveryEnabled: Bool = true,
            assertionAttributes: [String] = [],
            accessTokenAttributes: [String] = ["username", "email", "given_name", "family_name"],
            idTokenAttributes: [String] = ["email", "given_name", "family_name", "name"]
        ) {
            (self.id, self.clientID, self.name, self.description, self.type) = (id, clientID, name, description, type)
            (self.attestation, self.flowSecret, self.grantTypes) = (attestation, flowSecret, grantTypes)
            (self.redirectURIs, self.postLogoutRedirectURIs) = (redirectURIs, postLogoutRedirectURIs)
            (self.clientAuthentication, self.requiresPKCE) = (clientAuthentication, requiresPKCE)
            (self.userTypes, self.isRegistrationEnabled) = (userTypes, isRegistrationEnabled)
            (self.isRecoveryEnabled, self.assertionAttributes) = (isRecoveryEnabled, assertionAttributes)
            (self.accessTokenAttributes, self.idTokenAttributes) = (accessTokenAttributes, idTokenAttributes)
        }

        /// A copy changed by `change`.
        public func with(_ change: (inout Application) -> Void) -> Application {
            var copy = self
            change(&copy)
            return copy
        }

        /// Whether PKCE is required, which it always is for a public client.
        var mustUsePKCE: Bool { requiresPKCE || clientAuthentication == .none }
    }
}
