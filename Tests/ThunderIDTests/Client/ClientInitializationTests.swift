import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID

@Suite struct ClientInitializationTests {
    private static let config = ThunderIDConfig(baseUrl: "https://127.0.0.1:1", clientId: "app")

    @Test("Initializing gives true and the configuration; a second time is refused")
    func once() async throws {
        let fixture = try await ClientFixture()
        #expect(try fixture.client.getConfiguration().clientId == fixture.server.application.clientID)
        let error = await iamError { try await fixture.client.initialize(config: fixture.config()) }
        #expect(error?.code == .alreadyInitialized)
        await fixture.server.stop()
    }

    @Test("Initializing sends no request, so a server that says nothing keeps nobody waiting")
    func noRequest() async throws {
        let server = try await LocalHTTPServer.start { _ in .text("") }
        server.fail(.hang)
        let client = ThunderIDClient()
        try await client.initialize(
            config: ThunderIDConfig(
                baseUrl: server.url.absoluteString, clientId: "app", afterSignInUrl: "com.example.app:/callback",
                allowsLoopbackHTTP: true), storage: InMemoryStorageAdapter())
        #expect(try await client.isSignedIn() == false)
        #expect(try client.buildSignInURL().path == "/oauth2/authorize")
        try await client.reInitialize(clientId: "other")
        #expect(server.log.isEmpty)
        await server.stop()
    }

    @Test("A server that does not respond does not keep a client from being initialized")
    func offline() async throws {
        let client = ThunderIDClient()
        #expect(try await client.initialize(config: Self.config, storage: InMemoryStorageAdapter()))
        #expect(try await client.isSignedIn() == false)
    }

    @Test(
        "A base URL that is empty or does not use HTTPS is refused, and the client can be initialized afterwards",
        arguments: ["", "http://id.example.com", "http://localhost:8090", "id.example.com", "ftp://id.example.com"])
    func baseURL(text: String) async throws {
        let client = ThunderIDClient()
        let error = await iamError {
            try await client.initialize(config: ThunderIDConfig(baseUrl: text), storage: InMemoryStorageAdapter())
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(try await client.initialize(config: Self.config, storage: InMemoryStorageAdapter()))
    }

    @Test("Settings that do not fit together are refused")
    func settings() async throws {
        for config in [
            ThunderIDConfig(baseUrl: "https://id.example.com", attestationEnabled: true),
            ThunderIDConfig(baseUrl: "https://id.example.com", applicationId: "app", nativeSession: .refreshable),
        ] {
            let error = await iamError {
                try await ThunderIDClient().initialize(config: config, storage: InMemoryStorageAdapter())
            }
            #expect(error?.code == .invalidConfiguration)
        }
    }

    @Test("Before it is initialized, every method says so")
    func notInitialized() async throws {
        let client = ThunderIDClient()
        let url = try #require(URL(string: "app://callback?code=c&state=s"))
        let request = EmbeddedFlowRequestConfig(applicationId: "a")
        let errors: [IAMError?] = [
            await iamError { try await client.reInitialize(baseUrl: "https://id.example.com") },
            await iamError { try client.getConfiguration() },
            await iamError { try await client.signIn(payload: .init(), request: request) },
            await iamError { try await client.signUp() },
            await iamError { try client.buildSignInURL() },
            await iamError { try await client.handleRedirectCallback(url: url) },
            await iamError { try await client.isSignedIn() },
            await iamError { try await client.signOut() },
            await iamError { try await client.getAccessToken() },
            await iamError { try await client.exchangeToken(config: .init()) },
            await iamError { try await client.getUser() },
            await iamError { try await client.getUserProfile() },
            await iamError { try await client.updateUserProfile(payload: [:]) },
        ]
        #expect(errors.allSatisfy { $0?.code == .sdkNotInitialized })
        client.clearSession()
        #expect(!client.isLoading())
    }

    @Test("Going on with another client keeps the rest of the configuration, and no session of the one before is used")
    func reInitialize() async throws {
        let fixture = try await ClientFixture(
            configuration: .init(additionalApplications: [.init(id: "other-application", clientID: "other")]))
        try await fixture.signIn()
        #expect(try await fixture.client.reInitialize(clientId: "other"))
        let config = try fixture.client.getConfiguration()
        #expect(config.clientId == "other" && config.scopes == ["openid", "profile", "email"])
        #expect(config.afterSignInUrl == fixture.server.application.redirectURIs.first)
        #expect(try await fixture.client.isSignedIn() == false)
        try await fixture.client.reInitialize(clientId: fixture.server.application.clientID)
        #expect(try await fixture.client.isSignedIn())
        await fixture.server.stop()
    }

    @Test("Going on with another server uses no token of the one before")
    func otherServer() async throws {
        let fixture = try await ClientFixture()
        let other = try await LocalThunderIDServer.start()
        try await fixture.signIn()
        try await fixture.client.reInitialize(baseUrl: other.url.absoluteString)
        #expect(try await fixture.client.isSignedIn() == false)
        await #expect(throws: IAMError.self) { try await fixture.client.getAccessToken() }
        #expect(!fixture.wire.exchanges.contains { $0.url.port == other.url.port && $0.body.contains("refresh_token") })
        let error = await iamError { try await fixture.client.reInitialize(baseUrl: "http://id.example.com") }
        #expect(error?.code == .invalidConfiguration)
        #expect(try fixture.client.getConfiguration().baseUrl == other.url.absoluteString)
        await fixture.server.stop()
        await other.stop()
    }

    @Test("Going back to a server finds the session that was left there, whatever was done at the other one")
    func backAgain() async throws {
        let fixture = try await ClientFixture()
        let other = try await LocalThunderIDServer.start(clock: fixture.clock)
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        for end in 0..<3 {
            try await fixture.client.reInitialize(baseUrl: other.url.absoluteString)
            // What was done there before is left there too.
            #expect(try await fixture.client.isSignedIn() == (end == 1))
            switch end {
            case 0: try await fixture.signIn()
            case 1: try await fixture.client.signOut()
            default: fixture.client.clearSession()
            }
            try await fixture.client.reInitialize(baseUrl: fixture.server.url.absoluteString)
            #expect(try await fixture.client.isSignedIn(), "after \(end)")
            #expect(try await fixture.client.getAccessToken() == token)
        }
        await fixture.server.stop()
        await other.stop()
    }

    @Test("Two that initialize at once: one does")
    func concurrent() async throws {
        let client = ThunderIDClient()
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (try? await client.initialize(config: Self.config, storage: InMemoryStorageAdapter())) == true
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results.count { $0 } == 1)
    }
}
