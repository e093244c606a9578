import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A local server and providers that a configuration describes, on one clock.
struct OAuth2Fixture: Sendable {
    typealias Server = LocalOpenIDConnectServer

    let server: Server
    let clock = ManualClock()
    let store = MemoryTokenStore()
    let refreshes = RefreshMonitor()
    let login: ScriptedLogin
    /// The paths of the pages that were opened and of the requests that were sent, with their parameters.
    private let sent = Locked<[(path: String, fields: [FormField])]>([])

    init(_ configure: (inout Server.Configuration) -> Void = { _ in }) async throws {
        server = try await Server.start(configuration: Server.Configuration(configure), clock: clock)
        login = ScriptedLogin(username: server.user.username, password: server.user.password)
    }

    /// The settings of a server whose endpoints are known and that says by its own resource who signed in.
    func settings(_ members: [String: JSONValue] = [:]) -> [String: JSONValue] {
        let known: [String: JSONValue] = [
            "issuer": .string(server.issuer), "clientID": .string(server.client.id), "allowsLoopbackHTTP": true,
            "redirectURI": "com.example.app:/callback", "scopes": ["read"],
            "endpoints": [
                "authorization_endpoint": address("authorize"), "token_endpoint": address("token"),
                "revocation_endpoint": address("revoke"),
            ],
            "account": ["url": address("api/resource"), "identifier": "subject", "name": "message"],
        ]
        return known.merging(members) { $1 }.filter { $0.value != .null }
    }

    func address(_ path: String) -> JSONValue { .string(server.url.appendingPathComponent(path).absoluteString) }

    /// The provider of a configuration.
    /// - Parameter members: settings in the place of the usual ones; `null` leaves one out.
    func provider(
        _ members: [String: JSONValue] = [:], browser: (any WebAuthenticator)? = nil,
        presenter: (any DeviceCodePresenter)? = nil, time: TimeSource? = nil
    ) throws -> OAuthSessionProvider {
        let environment = IdentityEnvironment(
            store: store, transport: transport, webAuthenticator: browser ?? self.browser,
            deviceCodePresenter: presenter, refreshMonitor: refreshes,
            time: time ?? clock.timeSource)
        let chain = try Self.chain(.object(settings(members)), in: environment)
        guard let provider = chain.links.first?.provider as? OAuthSessionProvider else { throw CancellationError() }
        return provider
    }

    static func chain(
        _ settings: JSONValue, in environment: IdentityEnvironment = IdentityEnvironment(store: MemoryTokenStore())
    ) throws -> IdentityProviderChain {
        try ProviderRegistry([OAuth2Plugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "plain", type: "oauth2", settings: settings)]),
            environment: environment)
    }

    /// A provider that a person has signed in with.
    func signedIn(_ members: [String: JSONValue] = [:]) async throws -> OAuthSessionProvider {
        let provider = try provider(members)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        return provider
    }

    var browser: ScriptedBrowser {
        ScriptedBrowser { [login, sent] page in
            sent.withLock { $0.append((page.path, FormEncoding.decode(page.query ?? "") ?? [])) }
            return try await login.signIn(at: page)
        }
    }

    /// Sends and records.
    var transport: any HTTPTransport { RecordingTransport(sent: sent) }

    var account: AccountID { AccountID(account: server.user.id, realm: "plain") }

    /// The stored session.
    var credential: Credential? {
        get async throws { try await provider().sessions.storedCredential(of: account) }
    }

    /// The requests for `path`: their parameters, or the fields of their forms.
    func requests(to path: String) -> [[FormField]] {
        sent.withLock { $0 }.filter { $0.path == path }.map(\.fields)
    }
}

/// Records the requests, and the fields of their forms.
private struct RecordingTransport: HTTPTransport {
    let sent: Locked<[(path: String, fields: [FormField])]>
    private let base = DefaultTransport.make()

    init(sent: Locked<[(path: String, fields: [FormField])]>) {
        self.sent = sent
    }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let isForm = request.value(forHTTPHeaderField: "Content-Type") == FormEncoding.contentType
        let form = isForm ? String(decoding: request.httpBody ?? Data(), as: UTF8.self) : request.url?.query ?? ""
        sent.withLock { $0.append((request.url?.path ?? "", FormEncoding.decode(form) ?? [])) }
        return try await base.data(for: request)
    }
}

extension [FormField] {
    /// The value of a field.
    subscript(name: String) -> String? { first { $0.name == name }?.value }
}
