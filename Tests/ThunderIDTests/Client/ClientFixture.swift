import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

/// A local server and a client that talks to it, on one clock, with an ear on the wire.
struct ClientFixture: Sendable {
    let server: LocalThunderIDServer
    let clock = ManualClock()
    let wire = Wire()
    let storage = InMemoryStorageAdapter()
    let refreshes = RefreshMonitor()
    let client: ThunderIDClient

    /// Starts the server and sets up the client.
    /// - Parameter adjust: changes the client's configuration.
    init(
        configuration: LocalThunderIDServer.Configuration = LocalThunderIDServer.Configuration(),
        adjust: (inout ThunderIDConfig) -> Void = { _ in }
    ) async throws {
        server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock)
        client = Self.newClient(wire, clock, refreshes)
        try await client.initialize(config: config(adjust), storage: storage)
    }

    private static func newClient(
        _ wire: Wire, _ clock: ManualClock, _ refreshes: RefreshMonitor
    ) -> ThunderIDClient {
        var environment = IdentityEnvironment(store: MemoryTokenStore(), transport: wire, time: clock.dates)
        environment.refreshMonitor = refreshes
        return ThunderIDClient(environment: environment)
    }

    /// The configuration that the page shows, for the local server.
    func config(_ adjust: (inout ThunderIDConfig) -> Void = { _ in }) -> ThunderIDConfig {
        var config = ThunderIDConfig(
            baseUrl: server.url.absoluteString, clientId: server.application.clientID,
            scopes: ["openid", "profile", "email"], afterSignInUrl: server.application.redirectURIs.first,
            afterSignOutUrl: server.application.postLogoutRedirectURIs.first, language: "en-US",
            allowsLoopbackHTTP: true)
        adjust(&config)
        return config
    }

    /// A second client object on the same storage, as after a restart of the app.
    func restarted(_ adjust: (inout ThunderIDConfig) -> Void = { _ in }) async throws -> ThunderIDClient {
        let client = Self.newClient(wire, clock, refreshes)
        try await client.initialize(config: config(adjust), storage: storage)
        return client
    }

    var request: EmbeddedFlowRequestConfig { EmbeddedFlowRequestConfig(applicationId: server.application.id) }

    var credentials: [String: String] {
        ["username": server.user.username, "password": server.user.password.reveal()]
    }

    /// Signs in natively, step by step.
    @discardableResult
    func signIn(
        _ client: ThunderIDClient? = nil, _ values: [String: String]? = nil, sessionId: String? = nil
    ) async throws -> EmbeddedFlowResponse {
        let client = client ?? self.client
        let first = try await client.signIn(payload: .init(), request: request, sessionId: sessionId)
        return try await client.signIn(
            payload: .init(flowId: first.flowId, actionId: first.actions.first?.id, inputs: values ?? credentials),
            request: request, sessionId: sessionId)
    }

    /// What the browser comes back with when the person signs in on the server's page.
    func visit(_ page: URL, as user: LocalThunderIDServer.User? = nil) async throws -> URL {
        let user = user ?? server.user
        return try await ScriptedLogin(username: user.username, password: user.password).signIn(at: page)
    }

    /// Signs in through the browser.
    @discardableResult
    func signInByRedirect() async throws -> User {
        try await client.handleRedirectCallback(url: visit(client.buildSignInURL()))
    }

    /// The calls of the token endpoint with this grant.
    func grants(_ type: String) -> [Wire.Exchange] {
        wire.requests(to: "/oauth2/token").filter { $0.parameter("grant_type") == type }
    }
}

extension LocalThunderIDServer.Configuration {
    /// A server whose client has one redirect URI, which a request may then leave out.
    static var withOneRedirect: LocalThunderIDServer.Configuration {
        var configuration = LocalThunderIDServer.Configuration()
        configuration.application.redirectURIs = ["com.example.app://callback"]
        return configuration
    }
}

/// The error a call ends in.
func iamError(
    _ sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> some Any
) async -> IAMError? {
    await #expect(throws: IAMError.self, sourceLocation: sourceLocation) { _ = try await call() }
}
