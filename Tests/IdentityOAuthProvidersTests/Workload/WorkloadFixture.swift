import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A platform that runs a program, a server that accepts the platform's tokens, and providers that a configuration
/// describes, on one clock.
struct WorkloadFixture: Sendable {
    typealias Server = LocalOpenIDConnectServer

    /// The clients of the server: by secret, by key, by the platform's token, and one without credentials.
    static let service = Server.Client(id: "service", authentication: .basic("a secret"))
    static let app = Server.Client(id: "app")

    let server: Server
    let platform: LocalPlatform
    let clock = ManualClock()
    let key: SigningKey
    let refreshes = RefreshMonitor()

    init(_ configure: (inout Server.Configuration) -> Void = { _ in }) async throws {
        let platform = try await LocalPlatform.start(time: clock.timeSource)
        let key = try SigningKey()
        var configuration = Server.Configuration()
        let keys = [JSONValue.object(key.publicKey.members)]
        configuration.clients = [
            Self.service, Self.app, Server.Client(id: "signer", authentication: .privateKeyJWT(keys)),
            Server.Client(
                id: "job", authentication: .federated(issuer: platform.issuer, subject: platform.subject)),
        ]
        configuration.trustedIssuers = [platform.trusted]
        configure(&configuration)
        server = try await Server.start(configuration: configuration, clock: clock)
        self.platform = platform
        self.key = key
    }

    func stop() async {
        await server.stop()
        await platform.stop()
    }

    /// The provider of a configuration.
    /// - Parameters:
    ///   - members: the settings beside the issuer; `null` leaves one out.
    ///   - variables: those of the environment.
    func provider(_ members: [String: JSONValue], variables: [String: String] = [:]) throws -> WorkloadProvider {
        let known: [String: JSONValue] = [
            "issuer": .string(server.issuer), "allowsLoopbackHTTP": true, "scopes": ["read"],
        ]
        let settings = JSONValue.object(known.merging(members) { $1 }.filter { $0.value != .null })
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), refreshMonitor: refreshes, time: clock.timeSource, variables: variables)
        let chain = try Self.chain(settings, in: environment)
        guard let provider = chain.links.first?.provider as? WorkloadProvider else { throw CancellationError() }
        return provider
    }

    /// The settings of ``service``.
    static let credentials: [String: JSONValue] = ["clientID": "service", "clientSecret": "a secret"]

    static func chain(
        _ settings: JSONValue, in environment: IdentityEnvironment = IdentityEnvironment(store: MemoryTokenStore())
    ) throws -> IdentityProviderChain {
        try ProviderRegistry([WorkloadPlugin.self]).makeChain(
            for: IdentityConfiguration(
                providers: [ProviderConfiguration(name: "machine", type: "workload", settings: settings)]),
            environment: environment)
    }

    /// The number of requests for tokens.
    var tokenRequests: Int { server.http.log.filter { $0.path == "/token" }.count }

    /// What the server's own resource says of a token: whom it is about, and its scopes.
    func subject(of provider: WorkloadProvider, scopes: Set<String> = []) async throws -> String? {
        guard let account = try await provider.activeAccount(scopes: scopes, deviceToken: "d") else { return nil }
        var request = URLRequest(url: server.url.appendingPathComponent("api/resource"))
        request = try await provider.authorize(request, for: account, scopes: scopes)
        let (data, response) = try await DefaultTransport.make().data(for: request)
        guard response.statusCode == 200 else { return "status \(response.statusCode)" }
        return try JSONValue(parsing: data)["subject"]?.stringValue
    }
}
