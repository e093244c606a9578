import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tokens that are bound to a key of the device, at a server that wants that of its clients.
@Suite struct BoundTokenTests {
    @Test("Tokens are bound to one key, which outlives the process, and requests prove it")
    func bound() async throws {
        let clock = ManualClock()
        let server = try await LocalOpenIDConnectServer.start(
            configuration: .init { $0.clients = [.init(id: "swift-app") { $0.requiresDPoP = true }] }, clock: clock)
        let (wire, storage) = (Wire(), InMemoryStorageAdapter())
        func newClient() async throws -> ThunderIDClient {
            let client = ThunderIDClient(
                environment: IdentityEnvironment(store: MemoryTokenStore(), transport: wire, time: clock.dates))
            let config = ThunderIDConfig(
                baseUrl: server.url.absoluteString, clientId: "swift-app", scopes: ["openid", "offline_access"],
                afterSignInUrl: "com.example.app:/callback", bindsTokens: true, allowsLoopbackHTTP: true)
            try await client.initialize(config: config, storage: storage)
            return client
        }
        let client = try await newClient()
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        let page = try await client.signInURL(options: SignInOptions(prompt: "consent"))
        #expect(try CallbackURL(page)["dpop_jkt"]?.count == 43)
        try await client.handleRedirectCallback(url: login.signIn(at: page))

        let metadata = try await Discovery.discover(
            issuer: server.issuer, using: wire, transportSecurity: .loopbackHTTPAllowed)
        let userinfo = try metadata.endpoint(.userinfo)
        let request = try await client.authorized(URLRequest(url: userinfo))
        #expect(request.value(forHTTPHeaderField: "Authorization")?.hasPrefix("DPoP ") == true)
        #expect(try await wire.data(for: request).1.statusCode == 200)

        clock.advance(by: .seconds(3600))
        let restarted = try await newClient()
        let refreshed = try await restarted.authorized(URLRequest(url: userinfo))
        #expect(try await wire.data(for: refreshed).1.statusCode == 200)
        let thumbprints = try [request, refreshed].map { request in
            let proof = try JSONWebToken(Secret(#require(request.value(forHTTPHeaderField: "DPoP"))))
            return proof.header["jwk"]
        }
        #expect(thumbprints[0] != nil && thumbprints[0] == thumbprints[1])
        await server.stop()
    }
}
