extension LocalThunderIDServer {
    /// Data and behavior of the server. Every value has a default. The defaults of lifetimes and rules are those of a new
    /// ThunderID server.
    ///
    /// ```swift
    /// let configuration = LocalThunderIDServer.Configuration {
    ///     $0.signIn.steps = [.oneTimeCode(.email)]
    ///     $0.issuer = "https://id.example.org/"
    /// }
    /// ```
    public struct Configuration: LocalServerConfiguration {
        public var application: Application
        public var additionalApplications: [Application]
        /// The user that exists when the server starts, unless ``startsWithoutUsers`` is `true`.
        public var user: User
        /// The users that exist at the start in addition to ``user``, unless ``startsWithoutUsers`` is `true`.
        public var additionalUsers: [User]
        /// Whether the server starts without users and ignores ``user`` and ``additionalUsers``.
        public var startsWithoutUsers = false
        /// The issuer, exactly as in tokens and discovery; `nil` for the server's own URL.
        public var issuer: String?
        /// The lifetime of access and ID tokens, by default one hour.
        public var accessTokenLifetime: Duration
        /// The lifetime of the refresh tokens of one sign-in, by default one day, counted from the sign-in's token
        /// response. A refresh does not extend the lifetime.
        public var refreshTokenLifetime: Duration
        /// Whether a refresh spends the refresh token and issues a new one.
        public var rotatesRefreshTokens: Bool
        /// Whether a repeated use of a spent refresh token or authorization code revokes all tokens of its sign-in.
        public var revokesFamilyOnReplay: Bool
        /// The period after a refresh in which the spent refresh token can be used again without counting as a replay. Real
        /// ThunderID servers have no such period; other products do.
        public var rotationGrace: Duration

        // MARK: Flows

        public var signIn = SignInFlow()
        public var registration = RegistrationFlow()
        /// Whether the sign-out flow asks for confirmation.
        public var signOutConfirmation = SignOutConfirmation.never
        /// The relying party of passkeys: its domain and accepted origins.
        public var passkeys = Passkeys()
        /// Whether this server serves the hosted pages. If `false`, paths under `/gate/` respond with 404. In real
        /// deployments, a separate program serves these pages.
        public var servesGate = false
        /// The address of the links in messages, to which the server appends a query; `nil` for the server's own pages. An
        /// app can open only links to an address that it owns.
        public var linkBaseURL: String?

        // MARK: OAuth

        /// The signature algorithm of tokens. The server publishes keys for RS256 and ES256, but signs only with keys
        /// for this algorithm.
        public var signingAlgorithm = SigningAlgorithm.rs256
        /// Whether every authorization request must be pushed (`oauth.par.require_par`).
        public var requiresPushedRequests = false
        /// Whether every token request needs a DPoP proof (`oauth.dpop.required`).
        public var requiresDPoP = false
        /// Whether DPoP proofs for `GET /api/resource` need a nonce (RFC 9449 section 9). No other endpoint issues nonces.
        public var resourceRequiresNonces = false
        /// The APIs that a client may name as `resource`.
        public var resourceServers: [ResourceServer] = []
        /// The identifier of the API for authorization requests that have permissions but no `resource`. If `nil`, such
        /// requests fail with `invalid_target`.
        public var defaultResourceServer: String?
        /// Whether a failure of the server itself is returned to the client as `server_error`. Otherwise the hosted error
        /// page shows it, and a backchannel client waits until its request expires.
        public var sendsServerErrorsToClient = false

        // MARK: Addresses

        /// The prefix of all paths, such as `/id`, as behind a proxy. The default issuer includes it.
        public var pathPrefix = ""

        /// Creates a configuration: by default a public mobile application, one user, and the rules of a new server.
        public init(
            application: Application = Application(), additionalApplications: [Application] = [], user: User = User(),
            additionalUsers: [User] = [], issuer: String? = nil, accessTokenLifetime: Duration = .seconds(3600),
            refreshTokenLifetime: Duration = .seconds(86_400), rotatesRefreshTokens: Bool = true,
            revokesFamilyOnReplay: Bool = true, rotationGrace: Duration = .zero
        ) {
            (self.application, self.additionalApplications, self.user) = (application, additionalApplications, user)
            (self.additionalUsers, self.issuer) = (additionalUsers, issuer)
            (self.accessTokenLifetime, self.refreshTokenLifetime) = (accessTokenLifetime, refreshTokenLifetime)
            (self.rotatesRefreshTokens, self.revokesFamilyOnReplay) = (rotatesRefreshTokens, revokesFamilyOnReplay)
            self.rotationGrace = rotationGrace
        }

        public init() { self.init(user: User()) }

        var applications: [Application] { [application] + additionalApplications }

        var users: [User] { startsWithoutUsers ? [] : [user] + additionalUsers }
    }

    /// An API with its own permissions. Clients name the API in the parameter `resource` (RFC 8707).
    public struct ResourceServer: Sendable {
        /// The exact value of `resource`, and the `aud` of tokens for it.
        public var identifier: String
        /// The scopes that a request for this API may contain in addition to those of OpenID Connect.
        public var permissions: [String]

        public init(identifier: String, permissions: [String]) {
            self.identifier = identifier
            self.permissions = permissions
        }
    }
}
