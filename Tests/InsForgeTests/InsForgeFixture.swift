import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers

/// A local InsForge server and a provider that talks to it, on one clock.
struct InsForgeFixture: Sendable {
    let server: LocalInsForgeServer
    let clock = ManualClock()
    let store: any TokenStore

    init(
        store: any TokenStore = MemoryTokenStore(),
        _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in }
    )
        async throws
    {
        self.store = store
        server = try await LocalInsForgeServer.start(
            configuration: LocalInsForgeServer.Configuration(adjust), time: clock.timeSource)
    }

    func provider(
        name: String = "home", method: InsForgeSettings.SignInMethod = .password, prompter: (any FlowPrompter)? = nil,
        browser: (any WebAuthenticator)? = nil, anonKey: String? = nil, time: TimeSource? = nil,
        refreshes: RefreshMonitor = RefreshMonitor()
    ) throws -> InsForgeProvider {
        let settings = InsForgeSettings(
            baseURL: try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true),
            anonKey: anonKey ?? server.anonKey, method: method, redirectURI: URL(string: "example://callback"))
        var environment = IdentityEnvironment(
            store: store, prompter: prompter, webAuthenticator: browser,
            time: time ?? clock.dates)
        environment.refreshMonitor = refreshes
        return InsForgeProvider(settings: settings, context: ProviderContext(name: name, environment: environment))
    }

    var credentials: [String: Secret] {
        ["email": Secret(server.user.email), "password": Secret(server.user.password)]
    }

    var account: AccountID { AccountID(account: server.user.id, realm: "home") }

    func requests(to path: String) -> Int {
        server.http.log.count { $0.path == path }
    }
}
