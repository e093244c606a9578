import IdentityKit

extension LocalOpenIDConnectServer {
    /// Data and behaviour of the server. Every value has a default.
    public struct Configuration: LocalServerConfiguration {
        public var clients: [Client] = [.publicApp, .service]
        public var users: [User] = [User()]
        /// The issuer, exactly as in tokens and discovery; `nil` for the server's own address.
        public var issuer: String?
        /// A path before every endpoint, such as `/realms/one`, for an issuer with a path.
        public var path = ""
        /// The scopes that clients may ask for.
        public var scopes = ["openid", "profile", "email", "offline_access", "read", "write"]
        /// The algorithm that signs ID tokens and user info.
        public var signingAlgorithm = SigningAlgorithm.rs256
        /// Lifetime of authorization codes.
        public var codeLifetime: Duration = .seconds(60)
        /// Lifetime of access tokens.
        public var accessTokenLifetime: Duration = .seconds(3600)
        /// Lifetime of ID tokens.
        public var idTokenLifetime: Duration = .seconds(3600)
        /// Lifetime of a refresh token and its successors, counted from the first one.
        public var refreshTokenLifetime: Duration = .seconds(30 * 86_400)
        /// Lifetime of the server's own sessions.
        public var sessionLifetime: Duration = .seconds(8 * 3600)
        /// Lifetime of pushed authorization requests.
        public var pushedRequestLifetime: Duration = .seconds(60)
        /// Lifetime of device codes.
        public var deviceCodeLifetime: Duration = .seconds(600)
        /// The minimum time between two polls of a device.
        public var deviceInterval: Duration = .seconds(5)
        /// Lifetime of DPoP nonces.
        public var dpopNonceLifetime: Duration = .seconds(300)
        /// Whether a refresh spends the refresh token and issues a new one.
        public var rotatesRefreshTokens = true
        /// Whether a repeated use of a spent refresh token or code revokes all tokens of the sign-in.
        public var revokesFamilyOnReplay = true
        /// The period in which a spent refresh token may be used once more without counting as a replay.
        public var rotationGrace: Duration = .zero
        /// The handling of a resource that a refresh names (RFC 8707 section 2.2).
        public var resourceIndicators = ResourceIndicators.ignored
        /// Whether the metadata announces the endpoint for pushed authorization requests, which works in any case (RFC
        /// 9126 section 5).
        public var announcesPushedRequests = false
        /// Whether authorization requests must be pushed (RFC 9126 section 4).
        public var requiresPushedRequests = false
        /// Whether authorization requests must be signed (RFC 9101 section 10.5).
        public var requiresSignedRequests = false
        /// Whether DPoP proofs need a nonce of the server (RFC 9449 section 8).
        public var requiresDPoPNonces = false
        /// Whether user info is a signed JWT instead of JSON (OpenID Connect Core section 5.3.2).
        public var signsUserInfo = false

        /// Other issuers whose tokens the server accepts: as assertions (RFC 7523) or for an exchange (RFC 8693).
        public var trustedIssuers: [TrustedIssuer] = []
        /// Whether clients may register themselves (RFC 7591).
        public var allowsRegistration = false
        /// The token required for a registration; `nil` to let everybody register.
        public var initialAccessToken: Secret?
        /// Redirect URIs of clients that are identified by the address of their metadata document, by that address
        /// (OAuth Client ID Metadata Document). If not empty, the server's metadata announces support for such clients.
        public var clientDocuments: [String: [String]] = [:]

        public init() {}
    }

    /// An issuer whose tokens about programs the server accepts.
    public struct TrustedIssuer: Sendable {
        /// `iss` of the tokens.
        public var issuer: String
        /// The public JWKs that verify the tokens.
        public var keys: [JSONValue]
        /// The required `aud` of the tokens; `nil` for the server's own issuer identifier.
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
