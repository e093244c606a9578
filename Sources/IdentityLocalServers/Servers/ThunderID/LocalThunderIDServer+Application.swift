import IdentityKit

extension LocalThunderIDServer {
    /// An application as an administrator registers it.
    public struct Application: Sendable {
        /// The kind of program, which decides who may start a flow (Backends/ThunderID.md#who-may-start-a-flow).
        public enum Kind: String, Sendable, CaseIterable {
            /// Code that runs in a browser.
            case browser
            /// An app on a person's device.
            case mobile
            /// A server that shows pages.
            case fullstack
            /// Program of any kind, as its settings make it.
            case custom
            /// A client of the Model Context Protocol.
            case mcp
            /// A program without a person.
            case m2m
        }

        /// How a mobile application proves that it is itself.
        public enum Attestation: Sendable {
            /// Nothing is configured, so native flows are refused.
            case unconfigured
            /// No attestation is required.
            case developmentMode
            /// The platform's attestation is required; this value stands for one that verifies.
            case platform(accepting: Secret)
            /// The platform's attestation is required, and the server cannot verify any.
            case brokenPlatform
        }

        /// The grants of the token endpoint that the local server knows.
        public enum GrantType: String, Sendable, CaseIterable {
            /// A code of a sign-in (RFC 6749 section 4.1).
            case authorizationCode = "authorization_code"
            /// A refresh (RFC 6749 section 6).
            case refreshToken = "refresh_token"
            /// Exchanges a token for another (RFC 8693).
            case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            /// The client for itself (RFC 6749 section 4.4).
            case clientCredentials = "client_credentials"
            /// A message that a person confirms (OpenID Connect CIBA).
            case backchannel = "urn:openid:params:grant-type:ciba"
        }

        /// How the client authenticates at the token endpoint.
        public enum ClientAuthentication: Sendable, Equatable {
            /// The client is public and only names itself.
            case none
            case basic(Secret)
            case post(Secret)
            /// `private_key_jwt` with one of these public JWKs (RFC 7523)
            case privateKeyJWT(keys: [JSONValue])
        }

        /// The application id: `applicationId` of flows and `aud` of assertions.
        public var id: String
        /// The OAuth client identifier.
        public var clientID: String
        /// The name shown to people.
        public var name: String
        /// A sentence shown to people.
        public var description: String
        /// The kind of program.
        public var type: Kind
        /// How it proves that it is itself, when it is mobile.
        public var attestation: Attestation
        /// The `Flow-Secret` of an application with a server of its own.
        public var flowSecret: Secret?
        /// The grants it may use; without any, it has no OAuth profile.
        public var grantTypes: Set<GrantType>
        /// Allowed targets of authorization responses, compared as exact text.
        public var redirectURIs: [String]
        /// Allowed targets of sign-outs, compared as exact text.
        public var postLogoutRedirectURIs: [String]
        /// How it authenticates at the token endpoint.
        public var clientAuthentication: ClientAuthentication
        /// Whether an authorization request without PKCE is refused even though the client has a secret.
        public var requiresPKCE: Bool
        /// The user types it takes; with several, registration asks which.
        public var userTypes: [String]
        /// Whether a registration flow may be started.
        public var isRegistrationEnabled: Bool
        /// Whether a recovery flow may be started.
        public var isRecoveryEnabled: Bool
        /// The attributes in a native assertion.
        public var assertionAttributes: [String]
        /// The attributes in an access token.
        public var accessTokenAttributes: [String]
        /// The attributes in an id token and at the userinfo endpoint, as far as the scopes allow them.
        public var idTokenAttributes: [String]
        /// Whether its access tokens are bound to a key, so that every token request needs a proof (RFC 9449).
        public var requiresDPoP = false
        /// Whether its authorization requests must be pushed (RFC 9126).
        public var requiresPushedRequests = false
        /// Whether the userinfo endpoint responds with a signed JWT.
        public var signsUserInfo = false
        /// Address of the logo; not always an HTTP address.
        public var logoURL: String?
        public var url: String?
        /// Address of the terms of service.
        public var termsURL: String?
        public var policyURL: String?

        /// A public mobile application that can sign people in natively and by redirect.
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

        /// A changed copy of the application.
        public func with(_ change: (inout Application) -> Void) -> Application {
            var copy = self
            change(&copy)
            return copy
        }

        /// Whether PKCE is mandatory: always for a public client.
        var mustUsePKCE: Bool { requiresPKCE || clientAuthentication == .none }
    }
}
