import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every provider of this package, in every way it signs in.
enum ProviderCase: CaseIterable {
    case thunderIDNative, thunderIDRedirect, insForge, openIDConnect, oAuth2

    /// Starts the provider's local server.
    func scene() async throws -> ProviderScene {
        switch self {
        case .thunderIDNative: try await .thunderID(.native)
        case .thunderIDRedirect: try await .thunderID(.redirect)
        case .insForge: try await .insForge()
        case .openIDConnect: try await .openIDConnect()
        case .oAuth2: try await .oAuth2()
        }
    }
}

/// A provider and its local server, on one clock.
struct ProviderScene: Sendable {
    /// The person in front of the provider.
    struct Person: Sendable {
        let prompter: (any FlowPrompter)?
        let browser: (any WebAuthenticator)?

        /// Closes whatever is shown.
        static let impatient = Person(
            prompter: ScriptedPrompter([PromptAnswer]()), browser: ScriptedBrowser { _ in throw CancellationError() })
        /// Nothing can be shown.
        static let absent = Person(prompter: nil, browser: nil)
    }

    let clock: ManualClock
    let store = MemoryTokenStore()
    let monitor = RefreshMonitor()
    let http: LocalHTTPServer
    /// The account of the person who can sign in.
    var account: AccountID
    /// What that person enters.
    var credentials: [String: Secret] = [:]
    let password: String
    /// What that person does in the browser; the URL it ends at.
    var visit: @Sendable (URL) async throws -> URL = { _ in throw CancellationError() }
    let tokenLifetime: Duration
    /// The path of an API that wants an access token.
    var resource: String
    /// The path of a public document.
    let document: String
    /// What an authorization response names as its issuer.
    var issuer = ""
    /// The paths of the endpoints that refresh and that end a session.
    let endpoints: (refresh: String, end: String)
    var missingScope: String? = "a-scope-nobody-granted"
    /// How long a session lasts, where the provider knows it.
    var sessionLifetime: TimeInterval?
    /// Whether the server ends a session that another sign-in replaces or that is signed out.
    var endsSessions = true
    /// What the refresh endpoint of a server in trouble may respond with.
    var troubles: [Fault] = []
    /// Whether an error is of the provider's own type.
    let isOwnError: @Sendable (any Error) -> Bool
    let server: any AdministeredServer
    /// That person, as the server's administrator names them.
    let personID: String
    /// Makes a provider for an address, by default the local server's.
    let make: @Sendable (ProviderContext, _ address: String?) throws -> any SessionProvider
    let refreshes: @Sendable () -> Int
    /// How often a refresh token was sent that was spent, where the server counts it.
    var replays: @Sendable () -> Int = { 0 }
    /// Whether the server would take a refresh token now.
    let takes: @Sendable (Secret) -> Bool
    let revoke: @Sendable () -> Void
    let stop: @Sendable () async -> Void

    /// The person who can sign in, once.
    var person: Person {
        Person(prompter: ScriptedPrompter(credentials), browser: ScriptedBrowser { try await visit($0) })
    }

    func provider(
        _ person: Person? = nil, time: TimeSource? = nil, store: (any TokenStore)? = nil,
        transport: any HTTPTransport = DefaultTransport.make(), name: String? = nil, address: String? = nil
    ) throws -> any SessionProvider {
        let person = person ?? self.person
        return try make(
            ProviderContext(
                name: name ?? account.realm,
                environment: IdentityEnvironment(
                    store: store ?? self.store, transport: transport, prompter: person.prompter,
                    webAuthenticator: person.browser, refreshMonitor: monitor, time: time ?? clock.dates)), address)
    }

    /// A provider that the person has signed in with.
    func signedIn() async throws -> any SessionProvider {
        let provider = try provider()
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        return provider
    }

    func requests(to path: String) -> Int {
        http.log.count { $0.path == path }
    }

    /// The status of a call with an access token.
    func status(_ token: String) async throws -> Int {
        var request = URLRequest(url: http.url.appendingPathComponent(resource))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await DefaultTransport.make().data(for: request).1.statusCode
    }
}

// MARK: The providers

extension ProviderScene {
    static func thunderID(
        _ method: ThunderIDSettings.SignInMethod, password: Secret? = nil, rotation: Rotation = .strict,
        pushed: Bool? = nil
    ) async throws -> ProviderScene {
        let clock = ManualClock()
        let server = try await LocalThunderIDServer.start(
            configuration: LocalThunderIDServer.Configuration { configuration in
                if let password { configuration.user = .init(password: password) }
                configuration.rotatesRefreshTokens = rotation != .off
                configuration.rotationGrace = rotation.grace
            }, clock: clock)
        let gate = ScriptedLogin(username: server.user.username, password: server.user.password)
        return ProviderScene(
            clock: clock, http: server.http, account: AccountID(account: server.user.id, realm: "work"),
            credentials: ["username": Secret(server.user.username), "password": server.user.password],
            password: server.user.password.reveal(), visit: { try await gate.signIn(at: $0) },
            tokenLifetime: .seconds(3600), resource: "oauth2/userinfo",
            document: ".well-known/openid-configuration", issuer: server.issuer,
            endpoints: ("/oauth2/token", "/oauth2/revoke"),
            sessionLifetime: 86_400,
            troubles: troublesOfOAuth + [.answer(.json(["error": "invalid_grant"], status: 503))],
            isOwnError: { $0 is IAMError }, server: server, personID: server.user.id,
            make: {
                try ThunderIDProvider(
                    settings: ThunderIDSettings(
                        baseURL: ServerURL($1 ?? server.url.absoluteString, allowsLoopbackHTTP: true),
                        clientID: server.application.clientID, applicationID: server.application.id,
                        redirectURI: server.application.redirectURIs.first.flatMap(URL.init(string:)),
                        method: method, pushesAuthorizationRequests: pushed, allowsLoopbackHTTP: true),
                    context: $0)
            },
            refreshes: { server.counters.refreshes }, replays: { server.counters.replays },
            takes: { server.takes($0) },
            revoke: { server.revokeFamilies(ofUser: server.user.id) }, stop: { await server.stop() })
    }

    static func insForge(
        _ method: InsForgeSettings.SignInMethod = .password, password: String? = nil, rotation: Rotation = .off
    ) async throws -> ProviderScene {
        let clock = ManualClock()
        let server = try await LocalInsForgeServer.start(
            configuration: LocalInsForgeServer.Configuration { configuration in
                if let password { configuration.user.password = password }
                configuration.legacy.refreshTokensAreSingleUse = rotation == .strict
            }, time: clock.timeSource)
        let browser = ScriptedLogin()
        return ProviderScene(
            clock: clock, http: server.http, account: AccountID(account: server.user.id, realm: "work"),
            credentials: ["email": Secret(server.user.email), "password": Secret(server.user.password)],
            password: server.user.password, visit: { try await browser.signIn(at: $0) }, tokenLifetime: .seconds(900),
            resource: "api/auth/sessions/current", document: "api/auth/public-config",
            endpoints: ("/api/auth/refresh", "/api/auth/logout"), missingScope: nil, endsSessions: false,
            troubles: troublesOfInsForge, isOwnError: { $0 is InsForgeAuthError },
            server: server, personID: server.user.id,
            make: {
                InsForgeProvider(
                    settings: InsForgeSettings(
                        baseURL: try ServerURL($1 ?? server.url.absoluteString, allowsLoopbackHTTP: true),
                        anonKey: server.anonKey, method: method, redirectURI: URL(string: "example://callback")),
                    context: $0)
            },
            // InsForge has no session to revoke; what ends one is the end of its user.
            refreshes: { server.counters.refreshes }, takes: { server.takes($0) },
            revoke: { server.deleteUser(id: server.user.id) },
            stop: { await server.stop() })
    }

    static func openIDConnect(
        password: Secret? = nil, rotation: Rotation = .strict
    ) async throws -> ProviderScene {
        try await oAuth(password: password, rotation: rotation) { local, context, address in
            var server = OpenIDConnectSettings(
                issuer: address ?? local.issuer, clientID: local.client.id,
                redirectURI: URL(string: "com.example.app:/callback"),
                transportSecurity: .loopbackHTTPAllowed
            ).server
            server.replay = rotation.replay
            return OAuthSessionProvider(server, context: context)
        }
    }

    static func oAuth2(password: Secret? = nil, rotation: Rotation = .strict) async throws -> ProviderScene {
        try await oAuth(password: password, rotation: rotation) { local, context, address in
            var server = OAuthServer(
                type: OAuth2Plugin.type, issuer: address ?? local.issuer,
                client: OAuthClient(id: local.client.id, transportSecurity: .loopbackHTTPAllowed),
                account: .request(
                    local.url.appendingPathComponent("api/resource"), identifier: "subject",
                    profile: .init(displayName: "message")))
            server.scopes = ["read"]
            server.redirectURI = URL(string: "com.example.app:/callback")
            server.replay = rotation.replay
            return OAuthSessionProvider(OAuth2Settings(server).server, context: context)
        }
    }

    /// A provider of the local OpenID Connect server.
    static func oAuth(
        password: Secret? = nil, rotation: Rotation, allowsRegistration: Bool = false,
        make:
            @escaping @Sendable (LocalOpenIDConnectServer, ProviderContext, _ address: String?) throws ->
            any SessionProvider
    ) async throws -> ProviderScene {
        let clock = ManualClock()
        let server = try await LocalOpenIDConnectServer.start(
            configuration: LocalOpenIDConnectServer.Configuration { configuration in
                if let password { configuration.users[0].password = password }
                configuration.rotatesRefreshTokens = rotation != .off
                configuration.rotationGrace = rotation.grace
                configuration.allowsRegistration = allowsRegistration
            }, clock: clock)
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        return ProviderScene(
            clock: clock, http: server.http, account: AccountID(account: server.user.id, realm: "work"),
            password: server.user.password.reveal(), visit: { try await login.signIn(at: $0) },
            tokenLifetime: .seconds(3600), resource: "api/resource", document: ".well-known/openid-configuration",
            issuer: server.issuer, endpoints: ("/token", "/revoke"), troubles: troublesOfOAuth,
            isOwnError: { $0 is OAuthError }, server: server, personID: server.user.id,
            make: { try make(server, $0, $1) },
            refreshes: { server.counters.refreshes }, replays: { server.counters.replays },
            takes: { server.takes($0) },
            revoke: { server.revokeTokens(ofUser: server.user.id) }, stop: { await server.stop() })
    }

    private static let troublesOfOAuth: [Fault] = [
        .answer(.text("<html>busy</html>", status: 503)), .answer(.text("", status: 429)),
        .answer(.redirect(to: "https://elsewhere.example")), .answer(.text("not json")),
    ]

    private static let troublesOfInsForge: [Fault] = [
        .answer(.text("<html>busy</html>", status: 503)), .answer(.json([:], status: 429)),
        .answer(.text("not json")), .truncateAnswer, .dropAnswer,
        // An error by a proxy, and one by a server that never saw the token.
        .answer(.text("<html>who are you?</html>", status: 401)),
        .answer(.text("<html>not here</html>", status: 404)), .answer(.text("<html>no</html>", status: 403)),
        .answer(.text("<html>what?</html>", status: 400)),
        // An error of the server's database is not about the session, whatever the status.
        refusal(400, "DATABASE_VALIDATION_ERROR", "relation \"auth.users\" does not exist"),
        refusal(403, "FORBIDDEN", "permission denied for table users"),
        // A server in trouble may say anything.
        refusal(500, "AUTH_UNAUTHORIZED", "Invalid or expired refresh token"),
    ]

    private static func refusal(_ status: Int, _ code: String, _ text: String) -> Fault {
        let body: JSONValue = [
            "error": .string(code), "message": .string(text), "statusCode": .integer(Int64(status)),
        ]
        return .answer(.json(body, status: status))
    }
}
