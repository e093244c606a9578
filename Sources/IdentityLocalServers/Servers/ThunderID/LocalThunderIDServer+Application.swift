import IdentityKit

extension LocalThunderIDServer {
    /// An application registered by an administrator.
    public struct Application: Sendable {
        /// Kinds of programs. The kind decides whether the application may start sign-in and sign-out flows directly
        /// (Backends/ThunderID.md#who-may-start-a-flow).
        public enum Kind: String, Sendable, CaseIterable {
            /// Code that runs in a browser. The program may not start sign-in or sign-out flows directly.
            case browser
            /// An app on a person's device. A direct sign-in or sign-out flow requires the configured attestation.
            case mobile
            /// A server that shows pages. A direct sign-in or sign-out flow requires the flow secret. Such flows are
            /// refused if the grant types include `authorizationCode`, or are only `clientCredentials`.
            case fullstack
            /// Any other program. The rules are those of `fullstack`.
            case custom
            /// A client of the Model Context Protocol. The rules are those of `fullstack`.
            case mcp
            /// A program that acts without a person. The program may not start sign-in or sign-out flows directly.
            case m2m
        }

        /// Rules for the proof that a mobile application is genuine (the header `Attestation-Token`).
        public enum Attestation: Sendable {
            /// No attestation is configured, so direct sign-in and sign-out flows are refused with status 400.
            case unconfigured
            /// No attestation is required.
            case developmentMode
            /// An attestation by the platform is required. The server accepts only this value, in place of a real
            /// attestation.
            case platform(accepting: Secret)
            /// An attestation by the platform is required, but the server is unable to verify it and responds with status
            /// 500.
            case brokenPlatform
        }

        /// The grant types that an application may use at the token endpoint.
        public enum GrantType: String, Sendable, CaseIterable {
            /// The authorization code of a sign-in (RFC 6749 section 4.1).
            case authorizationCode = "authorization_code"
            /// A refresh token (RFC 6749 section 6). Without this grant, a sign-in yields no refresh token.
            case refreshToken = "refresh_token"
            /// The exchange of an assertion or a token for an access token (RFC 8693).
            case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
            /// The client's own credentials (RFC 6749 section 4.4).
            case clientCredentials = "client_credentials"
            /// A sign-in that a person confirms after a message (OpenID Connect CIBA).
            case backchannel = "urn:openid:params:grant-type:ciba"
        }

        /// Methods of client authentication, at the token endpoint and all other endpoints that authenticate clients (RFC
        /// 6749 section 2.3).
        public enum ClientAuthentication: Sendable, Equatable {
            /// None: the client is public and only sends its identifier.
            case none
            case basic(Secret)
            case post(Secret)
            /// `private_key_jwt`: a JWT signed with the private key of one of these public JWKs (RFC 7523 section 2.2).
            case privateKeyJWT(keys: [JSONValue])
        }

        /// The application's identifier: `applicationId` of flows, and `aud` of assertions.
        public var id: String
        /// The OAuth `client_id`, and the `aud` of ID tokens.
        public var clientID: String
        /// The name on the hosted pages and in the flow metadata.
        public var name: String
        /// A sentence about the application, for the flow metadata and the texts of prompts.
        public var description: String
        /// The kind of program, which decides whether the application may start sign-in and sign-out flows directly.
        public var type: Kind
        /// The required proof that a `mobile` application is genuine. Ignored for other kinds.
        public var attestation: Attestation
        /// The value of the header `Flow-Secret` with which the application's own server starts flows; `nil` to accept no
        /// value.
        public var flowSecret: Secret?
        /// The grants that the client may use; without any, it is not an OAuth client.
        public var grantTypes: Set<GrantType>
        /// Allowed targets of authorization responses, compared as exact text.
        public var redirectURIs: [String]
        /// Allowed targets of sign-outs, compared as exact text.
        public var postLogoutRedirectURIs: [String]
        /// The only authentication method that the client may use.
        public var clientAuthentication: ClientAuthentication
        /// Whether PKCE is required of a confidential client. A public client needs PKCE in any case.
        public var requiresPKCE: Bool
        /// The accepted user types; if there are several, a registration asks for the type.
        public var userTypes: [String]
        /// Whether a registration flow may be started directly. A sign-in flow can lead to registration in any case.
        public var isRegistrationEnabled: Bool
        /// Whether a recovery flow may be started directly. A sign-in flow can lead to recovery in any case.
        public var isRecoveryEnabled: Bool
        /// The user attributes in the assertion of a flow without an authorization or backchannel request.
        public var assertionAttributes: [String]
        /// The user attributes that access tokens contain as claims.
        public var accessTokenAttributes: [String]
        /// The user attributes that ID tokens and userinfo responses contain, as far as the granted scopes allow.
        public var idTokenAttributes: [String]
        /// Whether every token request needs a DPoP proof, so that all access tokens are bound to a key (RFC 9449).
        public var requiresDPoP = false
        /// Whether authorization requests must be pushed (RFC 9126).
        public var requiresPushedRequests = false
        /// Whether the userinfo endpoint responds with a signed JWT.
        public var signsUserInfo = false
        /// The address of the logo. Any scheme is accepted, such as the `avatar:` of built-in pictures.
        public var logoURL: String?
        public var url: String?
        /// The address of the terms of service (`tosUri` in the flow metadata).
        public var termsURL: String?
        public var policyURL: String?

        /// Creates an application, by default a public mobile one, which may start flows directly and use the
        /// authorization endpoint.
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

        /// Returns a copy to which `change` was applied.
        public func with(_ change: (inout Application) -> Void) -> Application {
            var copy = self
            change(&copy)
            return copy
        }

        /// Whether PKCE is required. Always `true` for a public client.
        var mustUsePKCE: Bool { requiresPKCE || clientAuthentication == .none }
    }
}
