import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID
import ThunderIDSwiftUI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A local ThunderID server, and forms that run its flows.
@MainActor
struct FlowFixture {
    let server: LocalThunderIDServer
    let client: ThunderIDClient
    let config: ThunderIDConfig
    let clock = ManualClock()
    private let store = MemoryTokenStore()
    private let ear = FlowEar()

    init(_ change: (inout LocalThunderIDServer.Configuration) -> Void) async throws {
        try await self.init(configuration: LocalThunderIDServer.Configuration(change))
    }

    init(configuration: LocalThunderIDServer.Configuration = LocalThunderIDServer.Configuration()) async throws {
        server = try await LocalThunderIDServer.start(configuration: configuration, clock: clock)
        config = ThunderIDConfig(
            baseUrl: server.url.absoluteString, clientId: server.application.clientID,
            scopes: ["openid", "profile", "email"], afterSignInUrl: server.application.redirectURIs.first,
            afterSignOutUrl: server.application.postLogoutRedirectURIs.first, language: "en-US",
            allowsLoopbackHTTP: true)
        client = ThunderIDClient(environment: IdentityEnvironment(store: store, transport: ear, time: clock.dates))
        try await client.initialize(config: config)
    }

    /// A form that shows its first step.
    func flow(
        _ type: FlowType = .authentication, link: FlowLink? = nil, handlers: SignInHandlers = SignInHandlers()
    ) async -> SignInFlow {
        let flow = SignInFlow(applicationId: server.application.id, type: type, link: link)
        await flow.start(with: client, handlers: handlers)
        return flow
    }

    /// A form in which the user has typed name and password.
    func flowPastPassword(handlers: SignInHandlers = SignInHandlers()) async -> SignInFlow {
        let flow = await flow(handlers: handlers)
        await flow.fillIn(["username": server.user.username, "password": server.user.password.reveal()])
        return flow
    }

    /// The link of the newest message.
    func mailedLink() throws -> FlowLink {
        try #require(server.messages.last?.link.flatMap(FlowLink.init))
    }

    /// The code of the newest message, and one that it is not.
    func mailedCode() throws -> (right: String, wrong: String) {
        let code = try #require(server.messages.last?.secret.reveal())
        return (code, code == "000000" ? "000001" : "000000")
    }

    /// How often the server was asked.
    var requestCount: Int { server.http.log.count }

    /// The inputs that the newest submission of a step had.
    func newestInputs() throws -> [String: JSONValue] {
        let submission = try #require(ear.bodies.last)
        return try JSONValue(parsing: submission)["inputs"]?.objectValue ?? [:]
    }

    /// Lets the client be an administrator's.
    func becomeAdministrator() async throws {
        let realm = "thunderid:\(server.application.clientID)@\(server.url.absoluteString)"
        let sessions = ProviderSessions(
            realm: realm, origin: .anyone(at: server.url.absoluteString), store: store, time: clock.dates
        ) { _ in throw CancellationError() }
        try await sessions.begin(
            Credential(
                accessToken: server.administratorToken(), issuedAt: clock.now, expiresAt: clock.now + 3600,
                signedInAt: clock.now, backend: server.url.absoluteString),
            for: AccountID(account: "default", realm: realm))
    }

    /// A browser that does what the other identity provider says.
    var upstreamBrowser: ScriptedBrowser {
        ScriptedBrowser { page in
            let (_, answer) = try await DefaultTransport.make().data(for: URLRequest(url: page))
            return try #require(answer.value(forHTTPHeaderField: "Location").flatMap(URL.init(string:)))
        }
    }

    /// A browser in which the user signs in on the server's page.
    var browser: ScriptedBrowser {
        let gate = ScriptedLogin(username: server.user.username, password: server.user.password)
        return ScriptedBrowser { try await gate.signIn(at: $0) }
    }
}

extension SignInFlow {
    /// Types values and presses a button.
    func fillIn(_ values: [String: String], pressing action: String? = nil) async {
        for (name, value) in values { setValue(value, for: name) }
        await advance(action)
    }
}

/// Hears what is sent to flows.
private final class FlowEar: HTTPTransport {
    private let transport = DefaultTransport.make()
    private let heard = Locked<[Data]>([])

    var bodies: [Data] { heard.withLock { $0 } }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        if request.url?.path.hasSuffix("/flow/execute") == true, let body = request.httpBody {
            heard.withLock { $0.append(body) }
        }
        return try await transport.data(for: request)
    }
}
