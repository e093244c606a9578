import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A local OpenID Connect server and providers that talk to it, on one clock.
struct OpenIDFixture: Sendable {
    typealias Server = LocalOpenIDConnectServer

    static let redirectURI = "com.example.app:/callback"
    static let signedOutURI = "com.example.app:/signed-out"

    let server: Server
    let clock: ManualClock
    let store: any TokenStore
    /// Hears what happens to the sessions.
    let refreshes = RefreshMonitor()
    /// A person at one browser, which remembers its sessions.
    let login: ScriptedLogin

    init(
        store: any TokenStore = MemoryTokenStore(), clock: ManualClock = ManualClock(),
        _ configure: (inout Server.Configuration) -> Void = { _ in }
    ) async throws {
        self.store = store
        self.clock = clock
        server = try await Server.start(configuration: Server.Configuration(configure), clock: clock)
        login = ScriptedLogin(username: server.user.username, password: server.user.password)
    }

    func settings(_ configure: (inout OpenIDConnectSettings) -> Void = { _ in }) -> OpenIDConnectSettings {
        var settings = OpenIDConnectSettings(
            issuer: server.issuer, clientID: server.client.id, redirectURI: URL(string: Self.redirectURI),
            postLogoutRedirectURI: URL(string: Self.signedOutURI), transportSecurity: .loopbackHTTPAllowed)
        configure(&settings)
        return settings
    }

    /// A provider; without a browser of its own it uses the one of ``login``.
    func provider(
        browser: (any WebAuthenticator)? = nil, presenter: (any DeviceCodePresenter)? = nil, time: TimeSource? = nil,
        transport: any HTTPTransport = DefaultTransport.make(),
        _ configure: (inout OpenIDConnectSettings) -> Void = { _ in }
    ) -> OAuthSessionProvider {
        let environment = IdentityEnvironment(
            store: store, transport: transport, webAuthenticator: browser ?? self.browser,
            deviceCodePresenter: presenter,
            refreshMonitor: refreshes, time: time ?? clock.dates)
        return OAuthSessionProvider(
            settings(configure).server, context: ProviderContext(name: "work", environment: environment))
    }

    /// A provider that a person has signed in with.
    func signedIn(_ configure: (inout OpenIDConnectSettings) -> Void = { _ in }) async throws -> OAuthSessionProvider {
        let provider = provider(configure)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        return provider
    }

    /// The provider's protocol engine alone, for what no setting of the provider asks for.
    func relyingParty(dpop: DPoPProver? = nil, time: TimeSource? = nil) async throws -> RelyingParty {
        let transport = DefaultTransport.make()
        return RelyingParty(
            metadata: try await Discovery.discover(
                issuer: server.issuer, using: transport, transportSecurity: .loopbackHTTPAllowed),
            client: OAuthClient(id: server.client.id, transportSecurity: .loopbackHTTPAllowed),
            transport: transport, time: time ?? clock.dates, dpop: dpop)
    }

    var browser: ScriptedBrowser {
        ScriptedBrowser { [login] in try await login.signIn(at: $0) }
    }

    var account: AccountID { AccountID(account: server.user.id, realm: "work") }

    func requests(to path: String) -> Int {
        server.http.log.count { $0.path == path }
    }

    /// The status of a call to an API that wants an access token.
    func resourceStatus(token: String) async throws -> Int {
        var request = URLRequest(url: server.url.appendingPathComponent("api/resource"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await DefaultTransport.make().data(for: request).1.statusCode
    }

    /// How many sign-ins wait for their callback.
    var pendingFlows: Int {
        get async throws {
            try await store.records(in: .pendingFlows).records.count { $0.content != nil }
        }
    }
}

/// Remembers the forms that were sent, by their path.
actor FormRecorder: HTTPTransport {
    private let base = DefaultTransport.make()
    private var forms: [(path: String, fields: [FormField])] = []

    /// The fields of the last form that was sent to `path`.
    func fields(to path: String) -> [FormField] {
        forms.last { $0.path == path }?.fields ?? []
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        if let body = request.httpBody, let fields = FormEncoding.decode(String(decoding: body, as: UTF8.self)) {
            forms.append((request.url?.path ?? "", fields))
        }
        return try await base.data(for: request)
    }
}

/// The address of the page a browser was sent to, for a test that goes on from there.
struct StoppedAt: Error {
    let page: URL
}

extension OpenIDFixture {
    /// Starts a sign-in and stops when the browser opens, as an app does that the system ends meanwhile.
    /// - Returns: the page the browser shows.
    func abandonedSignIn(_ configure: (inout OpenIDConnectSettings) -> Void = { _ in }) async throws -> URL {
        let provider = provider(browser: ScriptedBrowser { throw StoppedAt(page: $0) }, configure)
        do {
            _ = try await provider.signIn(scopes: [], deviceToken: "d")
            throw CancellationError()
        } catch let stop as StoppedAt {
            return stop.page
        }
    }
}

extension OpenIDConnectSettings {
    /// Without a client identifier: the app registers itself.
    mutating func register() {
        clientID = ""
        self.registration = ClientRegistration(name: "Swift example")
    }
}

extension Error {
    /// The code of an ``/IdentityCore/IdentityFailure``; empty for other errors.
    var identityFailureCode: String { (self as? any IdentityFailure)?.failureCode ?? "" }
}
