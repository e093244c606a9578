extension LocalThunderIDServer {
    /// Data and behaviour of the server. Every value has a default, which is the real server's own.
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
        /// The initial user.
        public var user: User
        /// Additional initial users.
        public var additionalUsers: [User]
        /// Whether there is no initial user, regardless of ``user``.
        public var startsWithoutUsers = false
        /// The issuer, exactly as in tokens and discovery; `nil` for the server's own URL.
        public var issuer: String?
        /// Lifetime of access and ID tokens.
        public var accessTokenLifetime: Duration
        /// Lifetime of a refresh token and its successors, counted from the first one.
        public var refreshTokenLifetime: Duration
        /// Whether a refresh spends the refresh token and issues a new one.
        public var rotatesRefreshTokens: Bool
        /// Whether a repeated use of a spent refresh token or code revokes its token family.
        public var revokesFamilyOnReplay: Bool
        /// The period in which a spent refresh token may be used once more without counting as a replay. Zero in real
        /// ThunderID servers; other products have one.
        public var rotationGrace: Duration

        // MARK: Flows

        public var signIn = SignInFlow()
        public var registration = RegistrationFlow()
        /// Whether the sign-out flow asks for confirmation.
        public var signOutConfirmation = SignOutConfirmation.never
        /// The relying party of passkeys.
        public var passkeys = Passkeys()
        /// Whether this server has the hosted pages, under `/gate`. A real server's pages are a separate program;
        /// without them these addresses do not exist.
        public var servesGate = false
        /// The base of links in messages; `nil` for the server's own pages. An app can open only links to an address
        /// that it owns.
        public var linkBaseURL: String?

        // MARK: OAuth

        /// The algorithm, which selects the one of the two published keys that signs.
        public var signingAlgorithm = SigningAlgorithm.rs256
        /// Whether every authorization request must be pushed (`oauth.par.require_par`).
        public var requiresPushedRequests = false
        /// Whether every client must prove a key (`oauth.dpop.required`).
        public var requiresDPoP = false
        /// Whether proofs for `GET /api/resource` need a nonce of that API (RFC 9449 section 9). The server itself issues none.
        public var resourceRequiresNonces = false
        /// The APIs that a client may name as `resource`.
        public var resourceServers: [ResourceServer] = []
        /// The API that a request without `resource` is for.
        public var defaultResourceServer: String?
        /// Whether failures of the server itself are returned to the client instead of shown on a page.
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

    /// An API with its own permissions, which clients name as `resource`.
    public struct ResourceServer: Sendable {
        /// The exact value of `resource`, and the `aud` of tokens for it.
        public var identifier: String
        /// The scopes of the API.
        public var permissions: [String]

        public init(identifier: String, permissions: [String]) {
            self.identifier = identifier
            self.permissions = permissions
        }
    }
}
