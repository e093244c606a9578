import IdentityKit

extension LocalOpenIDConnectServer {
    /// Data and behaviour of a local server. Every value has a default.
    public struct Configuration: LocalServerConfiguration {
        public var clients: [Client] = [.publicApp, .service]
        public var users: [User] = [User()]
        /// The issuer, exactly as in tokens and discovery; `nil` for the server's own address.
        public var issuer: String?
        /// A path in front of every endpoint, such as `/realms/one`, for issuers that have one.
        public var path = ""
        /// The scopes a client may ask for.
        public var scopes = ["openid", "profile", "email", "offline_access", "read", "write"]
        /// How ID tokens and user info are signed.
        public var signingAlgorithm = SigningAlgorithm.rs256
        /// How long a code waits to be redeemed.
        public var codeLifetime: Duration = .seconds(60)
        /// How long an access token lives.
        public var accessTokenLifetime: Duration = .seconds(3600)
        /// How long an ID token lives.
        public var idTokenLifetime: Duration = .seconds(3600)
        /// How long a refresh token and its successors live, counted from the first one.
        public var refreshTokenLifetime: Duration = .seconds(30 * 86_400)
        /// How long a session at the server itself lasts.
        public var sessionLifetime: Duration = .seconds(8 * 3600)
        /// How long a pushed authorization request waits to be used.
        public var pushedRequestLifetime: Duration = .seconds(60)
        /// How long a device code waits for a person.
        public var deviceCodeLifetime: Duration = .seconds(600)
        /// The least time between two polls of a device.
        public var deviceInterval: Duration = .seconds(5)
        /// How long a DPoP nonce is accepted.
        public var dpopNonceLifetime: Duration = .seconds(300)
        /// Whether a refresh spends the refresh token and issues a new one.
        public var rotatesRefreshTokens = true
        /// Whether a spent refresh token or code that is presented again revokes everything that came of the sign-in.
        public var revokesFamilyOnReplay = true
        /// How long a spent refresh token is taken once more without being a replay.
        public var rotationGrace: Duration = .zero
        /// The handling of a resource that a refresh names (RFC 8707 section 2.2).
        public var resourceIndicators = ResourceIndicators.ignored
        /// Whether the metadata has the endpoint that authorization requests can be pushed to (RFC 9126 section 5). It is
        /// there in any case.
        public var announcesPushedRequests = false
        /// Whether authorization requests must be pushed first (RFC 9126 section 4).
        public var requiresPushedRequests = false
        /// Whether authorization requests must be signed (RFC 9101 section 10.5).
        public var requiresSignedRequests = false
        /// Whether DPoP proofs must carry a nonce of the server (RFC 9449 section 8).
        public var requiresDPoPNonces = false
        /// Whether user info is a signed JWT instead of JSON (OpenID Connect Core section 5.3.2).
        public var signsUserInfo = false

        /// Other issuers of tokens that the server accepts: as an assertion (RFC 7523) or for another token (RFC 8693).
        public var trustedIssuers: [TrustedIssuer] = []
        /// Whether clients may register themselves (RFC 7591).
        public var allowsRegistration = false
        /// The token that a registration must present; `nil` to let everybody register.
        public var initialAccessToken: Secret?
        /// The redirect URIs in documents that describe clients, by the address of the document (OAuth Client ID Metadata
        /// Document). With any, the server says that it takes such clients.
        public var clientDocuments: [String: [String]] = [:]

        public init() {}
    }

    /// Somebody whose tokens about programs the server accepts.
    public struct TrustedIssuer: Sendable {
        /// `iss` of the tokens.
        public var issuer: String
        /// The public JWKs they are signed with.
        public var keys: [JSONValue]
        /// `aud` that the tokens must have; `nil` for the server's own issuer identifier.
        public var audience: String?

        public init(issuer: String, keys: [JSONValue], audience: String? = nil) {
            (self.issuer, self.keys, self.audience) = (issuer, keys, audience)
        }
    }

    /// The signature algorithms (RFC 7518 section 3.1, RFC 8037 section 3.1).
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case rs384 = "RS384"
        case rs512 = "RS512"
        case ps256 = "PS256"
        case ps384 = "PS384"
        case ps512 = "PS512"
        /// ECDSA on P-256 with SHA-256
        case es256 = "ES256"
        /// ECDSA on P-384 with SHA-384
        case es384 = "ES384"
        /// ECDSA on P-521 with SHA-512
        case es512 = "ES512"
        case edDSA = "EdDSA"
    }
}
