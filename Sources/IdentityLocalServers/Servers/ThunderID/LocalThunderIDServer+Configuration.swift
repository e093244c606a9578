extension LocalThunderIDServer {
    /// Data and behaviour of a local server. Every value has a default, which is the real server's own.
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
        /// The user that exists from the start.
        public var user: User
        /// More users that exist from the start.
        public var additionalUsers: [User]
        /// Whether no user exists from the start, regardless of ``user``.
        public var startsWithoutUsers = false
        /// The issuer, exactly as in tokens and discovery; `nil` for the server's own URL.
        public var issuer: String?
        /// How long access and id tokens live.
        public var accessTokenLifetime: Duration
        /// How long a refresh token and its successors live, counted from the first one.
        public var refreshTokenLifetime: Duration
        /// Whether a refresh spends the refresh token and issues a new one.
        public var rotatesRefreshTokens: Bool
        /// Whether a spent refresh token or code that is presented again revokes its token family.
        public var revokesFamilyOnReplay: Bool
        /// How long a spent refresh token is taken once more without being a replay. Real servers of this kind have no
        /// grace; others do.
        public var rotationGrace: Duration

        // MARK: Flows

        public var signIn = SignInFlow()
        public var registration = RegistrationFlow()
        /// Whether signing out asks first.
        public var signOutConfirmation = SignOutConfirmation.never
        /// Domains that passkeys are for.
        public var passkeys = Passkeys()
        /// Whether the hosted pages are here, under `/gate`. Those of a real server are a program that is delivered
        /// beside it; without them the addresses lead to nothing.
        public var servesGate = false
        /// The beginning of links in messages; `nil` for the server's own pages. An app can take over only a link that
        /// it owns.
        public var linkBaseURL: String?

        // MARK: OAuth

        /// Which of the two published keys signs.
        public var signingAlgorithm = SigningAlgorithm.rs256
        /// Whether every authorization request must be pushed (`oauth.par.require_par`).
        public var requiresPushedRequests = false
        /// Whether every client must prove possession of a key (`oauth.dpop.required`).
        public var requiresDPoP = false
        /// Whether `GET /api/resource` requires a nonce of its own in every proof (RFC 9449 section 9). The server itself gives
        /// none.
        public var resourceRequiresNonces = false
        /// The APIs that a client may name as `resource`.
        public var resourceServers: [ResourceServer] = []
        /// Which of them a request means that names none.
        public var defaultResourceServer: String?
        /// Whether the client receives a failure of the server itself, instead of a page.
        public var sendsServerErrorsToClient = false

        // MARK: Addresses

        /// The beginning of every path, such as `/id`, as behind a proxy. The issuer has it too, unless it is set.
        public var pathPrefix = ""

        /// A public mobile application, one user, and the rules of a server as it is delivered.
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

    /// An API with permissions of its own (`resource`).
    public struct ResourceServer: Sendable {
        /// The exact value of `resource`, and the `aud` of tokens for it.
        public var identifier: String
        /// The scopes it knows.
        public var permissions: [String]

        public init(identifier: String, permissions: [String]) {
            self.identifier = identifier
            self.permissions = permissions
        }
    }
}
