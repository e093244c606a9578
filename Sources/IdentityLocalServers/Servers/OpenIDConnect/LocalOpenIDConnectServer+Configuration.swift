import IdentityKit

extension LocalOpenIDConnectServer {
    /// The clients, users, lifetimes and rules of the server. Every property has a default.
    public struct Configuration: LocalServerConfiguration {
        public var clients: [Client] = [.publicApp, .service]
        public var users: [User] = [User()]
        /// The issuer identifier, exactly as in tokens and metadata; `nil` for the server's own address, including ``path``.
        public var issuer: String?
        /// A path before every endpoint, such as `/realms/one`, for an issuer with a path. In the address of the RFC 8414
        /// metadata, the well-known path precedes this path (RFC 8414 section 3.1).
        public var path = ""
        /// The scopes that clients may request. The server refuses any other scope with `invalid_scope`.
        public var scopes = ["openid", "profile", "email", "offline_access", "read", "write"]
        /// The algorithm that signs ID tokens and user info.
        public var signingAlgorithm = SigningAlgorithm.rs256
        /// The lifetime of authorization codes, by default one minute. RFC 6749 section 4.1.2 recommends at most ten minutes.
        public var codeLifetime: Duration = .seconds(60)
        /// The lifetime of access tokens, by default one hour. Token responses contain it as `expires_in`.
        public var accessTokenLifetime: Duration = .seconds(3600)
        /// The time between `iat` and `exp` of ID tokens, by default one hour.
        public var idTokenLifetime: Duration = .seconds(3600)
        /// The lifetime of the first refresh token of a sign-in, by default 30 days. The refresh tokens that replace it expire
        /// at the same time.
        public var refreshTokenLifetime: Duration = .seconds(30 * 86_400)
        /// The lifetime of a browser's session at this server, counted from the sign-in, by default eight hours.
        public var sessionLifetime: Duration = .seconds(8 * 3600)
        /// The lifetime of pushed authorization requests, by default one minute. The client must use the `request_uri` in this
        /// time (RFC 9126 section 2.2).
        public var pushedRequestLifetime: Duration = .seconds(60)
        /// The lifetime of device codes and user codes, by default ten minutes (RFC 8628 section 3.2).
        public var deviceCodeLifetime: Duration = .seconds(600)
        /// The minimum time between two polls of a device, by default five seconds. Each poll that comes too early adds five
        /// seconds (RFC 8628 section 3.5).
        public var deviceInterval: Duration = .seconds(5)
        /// The time after which a new DPoP nonce replaces the current one, by default five minutes. The server still accepts
        /// the previous nonce.
        public var dpopNonceLifetime: Duration = .seconds(300)
        /// Whether a refresh spends the refresh token and issues a new one.
        public var rotatesRefreshTokens = true
        /// Whether a repeated use of a spent refresh token or authorization code revokes all tokens of the sign-in.
        public var revokesFamilyOnReplay = true
        /// The period after the first use of a refresh token in which further uses do not count as replays, by default zero.
        public var rotationGrace: Duration = .zero
        /// The server's treatment of the resource that a client names when it exchanges an authorization code, a device code or
        /// a refresh token (RFC 8707 section 2.2).
        public var resourceIndicators = ResourceIndicators.ignored
        /// Whether the metadata announces the endpoint for pushed authorization requests (RFC 9126 section 5). The endpoint
        /// works in any case, and ``requiresPushedRequests`` also announces it.
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
        /// The initial access token that a registration requires (RFC 7591 section 3); `nil` to let everybody register.
        public var initialAccessToken: Secret?
        /// The redirect URIs of clients whose identifier is the address of their metadata document (OAuth Client ID Metadata
        /// Document). The keys are the addresses of the documents, which the server does not fetch. If there is any key, the
        /// server's metadata announces support for such clients.
        public var clientDocuments: [String: [String]] = [:]

        public init() {}
    }

    /// An issuer, such as a workload platform, whose tokens the server accepts as assertions (RFC 7523) or for an exchange (RFC
    /// 8693).
    public struct TrustedIssuer: Sendable {
        /// The `iss` of the issuer's tokens, compared as exact text.
        public var issuer: String
        /// The public JWKs that verify the tokens.
        public var keys: [JSONValue]
        /// The required `aud` of the tokens; `nil` for the server's own issuer identifier.
        public var audience: String?

        public init(issuer: String, keys: [JSONValue], audience: String? = nil) {
            (self.issuer, self.keys, self.audience) = (issuer, keys, audience)
        }
    }

    /// A signature algorithm of the server's JWTs. The raw value is `alg` (RFC 7518 section 3.1, RFC 8037 section 3.1).
    public enum SigningAlgorithm: String, Sendable, CaseIterable {
        case rs256 = "RS256"
        case rs384 = "RS384"
        case rs512 = "RS512"
        case ps256 = "PS256"
        case ps384 = "PS384"
        case ps512 = "PS512"
        /// ECDSA on P-256 with SHA-256.
        case es256 = "ES256"
        /// ECDSA on P-384 with SHA-384.
        case es384 = "ES384"
        /// ECDSA on P-521 with SHA-512.
        case es512 = "ES512"
        case edDSA = "EdDSA"
    }
}
