import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server that knows nothing of OpenID Connect: no discovery, no keys, no ID token.
struct PlainServer: Sendable {
    let local: LocalOpenIDConnectServer
    let clock = ManualClock()
    let store: any TokenStore = MemoryTokenStore()
    let refreshes = RefreshMonitor()
    let wire = RequestRecorder()

    init(_ configure: (inout LocalOpenIDConnectServer.Configuration) -> Void = { _ in }) async throws {
        local = try await .start(configuration: .init(configure), clock: clock)
    }

    /// All there is to write for one more provider.
    func server(at address: URL? = nil) throws -> OAuthServer {
        let base = address ?? local.url
        var server = try OAuthServer(
            type: "plain", backend: address?.absoluteString ?? local.issuer,
            client: OAuthClient(id: local.client.id, transportSecurity: .loopbackHTTPAllowed),
            endpoints: [
                .authorization: base.appendingPathComponent("authorize"),
                .token: base.appendingPathComponent("token"), .revocation: base.appendingPathComponent("revoke"),
                .introspection: base.appendingPathComponent("introspect"),
            ],
            account: .request(
                base.appendingPathComponent("api/resource"), identifier: "subject",
                profile: .init(displayName: "message")))
        server.scopes = ["read"]
        server.redirectURI = URL(string: "com.example.app:/callback")
        return server
    }

    /// A browser with one person in front of it.
    func browser(_ user: LocalOpenIDConnectServer.User? = nil) -> ScriptedBrowser {
        let user = user ?? local.user
        let login = ScriptedLogin(username: user.username, password: user.password)
        return ScriptedBrowser { try await login.signIn(at: $0) }
    }

    func provider(
        browser: (any WebAuthenticator)? = nil, transport: (any HTTPTransport)? = nil, name: String = "plain",
        address: String? = nil, _ configure: (inout OAuthServer) -> Void = { _ in }
    ) throws -> OAuthSessionProvider {
        var server = try server(at: address.flatMap { URL(string: $0) })
        configure(&server)
        let environment = IdentityEnvironment(
            store: store, transport: transport ?? wire, webAuthenticator: browser ?? self.browser(),
            refreshMonitor: refreshes,
            time: clock.timeSource)
        return OAuthSessionProvider(server, context: ProviderContext(name: name, environment: environment))
    }

    var account: AccountID { AccountID(account: local.user.id, realm: "plain") }

    func resourceRequest() -> URLRequest { URLRequest(url: local.url.appendingPathComponent("api/resource")) }
}

/// Records the responses, by the path.
actor RequestRecorder: HTTPTransport {
    private let base = DefaultTransport.make()
    private var exchanges: [(path: String, status: Int)] = []

    /// The statuses of the responses of `path`.
    func statuses(of path: String) -> [Int] { exchanges.filter { $0.path == path }.map(\.status) }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let received = try await base.data(for: request)
        exchanges.append((request.url?.path ?? "", received.1.statusCode))
        return received
    }
}
