import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import LocalServers
import OAuthKit
import OpenIDConnect
import ThunderID

/// Every provider of this package, in every way it signs in.
enum ProviderCase: CaseIterable {
    case thunderIDNative, thunderIDRedirect, insForge, openIDConnect

    /// Starts the provider's local server.
    func scene() async throws -> ProviderScene {
        switch self {
        case .thunderIDNative: try await .thunderID(.native)
        case .thunderIDRedirect: try await .thunderID(.redirect)
        case .insForge: try await .insForge()
        case .openIDConnect: try await .openIDConnect()
        }
    }
}

/// A provider and its local server, on one clock.
struct ProviderScene: Sendable {
    /// The person in front of the provider.
    struct Person: Sendable {
        let prompter: any FlowPrompter
        let browser: any WebAuthenticator

        /// Closes whatever is shown.
        static let impatient = Person(
            prompter: ScriptedPrompter([PromptAnswer]()), browser: ScriptedBrowser { _ in throw CancellationError() })
    }

    let clock: ManualClock
    let store = MemoryTokenStore()
    let monitor = RefreshMonitor()
    let http: LocalHTTPServer
    /// The person who can sign in.
    let person: Person
    let password: String
    let tokenLifetime: Duration
    /// The path of an API that wants an access token.
    let resource: String
    /// The path of a document for everybody.
    let document: String
    var missingScope: String? = "a-scope-nobody-granted"
    /// How long a session lasts, where the provider knows it.
    var sessionLifetime: TimeInterval?
    let make: @Sendable (ProviderContext) throws -> any SessionProvider
    let refreshes: @Sendable () -> Int
    let revoke: @Sendable () -> Void
    let stop: @Sendable () async -> Void

    func provider(_ person: Person? = nil, time: TimeSource? = nil) throws -> any SessionProvider {
        let person = person ?? self.person
        return try make(
            ProviderContext(
                name: "work",
                environment: IdentityEnvironment(
                    store: store, prompter: person.prompter, webAuthenticator: person.browser, refreshes: monitor,
                    time: time ?? clock.dates)))
    }

    static func thunderID(_ method: ThunderIDSettings.SignInMethod) async throws -> ProviderScene {
        let clock = ManualClock()
        let server = try await LocalThunderIDServer.start(clock: clock)
        let gate = ScriptedGate(username: server.user.username, password: server.user.password)
        return ProviderScene(
            clock: clock, http: server.http,
            person: Person(
                prompter: ScriptedPrompter([
                    "username": Secret(server.user.username), "password": server.user.password,
                ]),
                browser: ScriptedBrowser { try await gate.signIn(at: $0) }),
            password: server.user.password.reveal(), tokenLifetime: .seconds(3600), resource: "oauth2/userinfo",
            document: ".well-known/openid-configuration", sessionLifetime: 86_400,
            make: {
                try ThunderIDProvider(
                    settings: ThunderIDSettings(
                        baseURL: ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true),
                        clientID: server.application.clientID, applicationID: server.application.id,
                        redirectURI: server.application.redirectURIs.first.flatMap(URL.init(string:)),
                        method: method, allowsLoopbackHTTP: true),
                    context: $0)
            },
            refreshes: { server.counters.refreshes }, revoke: { server.revokeFamilies(ofUser: server.user.id) },
            stop: { await server.stop() })
    }

    static func insForge() async throws -> ProviderScene {
        let clock = ManualClock()
        let server = try await LocalInsForgeServer.start(time: clock.timeSource)
        return ProviderScene(
            clock: clock, http: server.http,
            person: Person(
                prompter: ScriptedPrompter([
                    "email": Secret(server.user.email), "password": Secret(server.user.password),
                ]),
                browser: Person.impatient.browser),
            password: server.user.password, tokenLifetime: .seconds(900), resource: "api/auth/sessions/current",
            document: "api/auth/public-config", missingScope: nil,
            make: {
                InsForgeProvider(
                    settings: InsForgeSettings(
                        baseURL: try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true),
                        anonKey: server.anonKey, method: .password, redirectURI: URL(string: "example://callback")),
                    context: $0)
            },
            // InsForge has no session to revoke; what ends one is the end of its user.
            refreshes: { server.counters.refreshes }, revoke: { server.deleteUser(id: server.user.id) },
            stop: { await server.stop() })
    }

    static func openIDConnect() async throws -> ProviderScene {
        let clock = ManualClock()
        let server = try await LocalOpenIDConnectServer.start(clock: clock)
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        return ProviderScene(
            clock: clock, http: server.http,
            person: Person(
                prompter: Person.impatient.prompter, browser: ScriptedBrowser { try await login.signIn(at: $0) }),
            password: server.user.password.reveal(), tokenLifetime: .seconds(3600), resource: "api/resource",
            document: ".well-known/openid-configuration",
            make: {
                OpenIDConnectProvider(
                    settings: OpenIDConnectSettings(
                        issuer: server.issuer, clientID: server.client.id,
                        redirectURI: URL(string: "com.example.app:/callback"),
                        transportSecurity: .loopbackHTTPAllowed),
                    context: $0)
            },
            refreshes: { server.counters.refreshes }, revoke: { server.revokeTokens(ofUser: server.user.id) },
            stop: { await server.stop() })
    }
}
