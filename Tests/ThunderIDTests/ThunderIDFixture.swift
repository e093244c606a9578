import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A local ThunderID server and providers that talk to it, on one clock.
struct ThunderIDFixture: Sendable {
    let server: LocalThunderIDServer
    let clock = ManualClock()
    let store: any TokenStore

    init(
        store: any TokenStore = MemoryTokenStore(),
        configuration: LocalThunderIDServer.Configuration = LocalThunderIDServer.Configuration()
    ) async throws {
        self.store = store
        server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock)
    }

    func provider(
        method: ThunderIDSettings.SignInMethod = .native, clientID: String?? = nil,
        redirectURI: String? = nil, scopes: [String] = ThunderIDSettings.defaultScopes,
        prompter: (any FlowPrompter)? = nil, browser: (any WebAuthenticator)? = nil, bindsTokens: Bool = false,
        pushed: Bool? = nil,
        transport: any HTTPTransport = DefaultTransport.make(),
        store: (any TokenStore)? = nil, time: TimeSource? = nil
    ) throws -> ThunderIDProvider {
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true),
            clientID: clientID ?? server.application.clientID, applicationID: server.application.id,
            redirectURI: (redirectURI ?? server.application.redirectURIs.first).flatMap(URL.init(string:)),
            scopes: scopes, method: method, pushesAuthorizationRequests: pushed, bindsTokens: bindsTokens,
            allowsLoopbackHTTP: true)
        let environment = IdentityEnvironment(
            store: store ?? self.store, transport: transport, prompter: prompter, webAuthenticator: browser,
            time: time ?? clock.dates)
        return try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: "work", environment: environment))
    }

    /// A provider that a person has signed in with.
    func signedIn() async throws -> ThunderIDProvider {
        let provider = try provider(prompter: ScriptedPrompter(credentials))
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        return provider
    }

    /// A browser in which the user signs in on the hosted page.
    var browser: ScriptedBrowser {
        let gate = ScriptedLogin(username: server.user.username, password: server.user.password)
        return ScriptedBrowser { try await gate.signIn(at: $0) }
    }

    var credentials: [String: Secret] {
        ["username": Secret(server.user.username), "password": server.user.password]
    }

    var account: AccountID { AccountID(account: server.user.id, realm: "work") }

    /// The session as it is stored.
    func stored() async throws -> Credential? {
        let backend = try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true).description
        let stored = StoredAccountProvider(
            realm: account.realm, backend: backend, store: store, time: clock.dates)
        return try await stored.sessions.storedCredential(of: account)
    }

    /// Puts `credential` in the place of the session that is stored.
    func store(_ credential: Credential) async throws {
        let sessions = ProviderSessions(
            realm: account.realm, origin: .anyone(at: credential.backend), store: store, time: clock.dates
        ) { _ in throw CancellationError() }
        try await sessions.begin(credential, for: account)
    }

    func requests(to path: String) -> Int {
        server.http.log.count { $0.path == path }
    }

    /// The status of a call to an API that wants an access token.
    func status(of path: String, token: String) async throws -> Int {
        var request = URLRequest(url: server.url.appendingPathComponent(path))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await DefaultTransport.make().data(for: request).1.statusCode
    }
}
