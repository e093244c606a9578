import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sessions whose tokens are bound to a key of the device.
@Suite struct BoundSessionTests {
    private func fixture(
        store: any TokenStore = MemoryTokenStore(),
        _ change: (inout LocalThunderIDServer.Configuration) -> Void = { _ in }
    ) async throws -> ThunderIDFixture {
        try await ThunderIDFixture(
            store: store,
            configuration: .init {
                $0.application.requiresDPoP = true
                change(&$0)
            })
    }

    private func client(
        _ fixture: ThunderIDFixture, _ wire: Wire, method: ThunderIDSettings.SignInMethod = .native
    ) async throws -> IdentityClient {
        let provider = try fixture.provider(
            method: method, prompter: ScriptedPrompter(fixture.credentials), browser: fixture.browser,
            bindsTokens: true, transport: wire)
        let client = IdentityClient(
            provider: provider,
            environment: IdentityEnvironment(store: fixture.store, transport: wire, time: fixture.clock.dates))
        _ = try await client.signIn()
        return client
    }

    private func request(_ fixture: ThunderIDFixture, _ path: String) -> URLRequest {
        URLRequest(url: fixture.server.url.appendingPathComponent(path))
    }

    @Test(
        "A bound token goes with a proof to an API, and as a bearer token to the person's own record alone",
        .guards("sender-constrained tokens"),
        arguments: [ThunderIDSettings.SignInMethod.native, .redirect])
    func schemes(method: ThunderIDSettings.SignInMethod) async throws {
        let (fixture, wire) = (try await fixture(), Wire())
        let client = try await client(fixture, wire, method: method)
        for (path, scheme) in [("api/resource", "DPoP"), ("oauth2/userinfo", "DPoP"), ("users/me", "Bearer")] {
            #expect(try await client.data(for: request(fixture, path)).1.statusCode == 200, "\(path)")
            let sent = try #require(wire.requests(to: "/" + path).last?.header("Authorization"))
            #expect(sent.hasPrefix(scheme + " "), "\(path)")
        }
        #expect(fixture.server.counters.refreshes == 0)
        #expect(try await fixture.stored()?.tokenType == "DPoP")
        // The code was bound before it was issued.
        if method == .native {
            #expect(wire.requests(to: "/oauth2/par").first?.parameter("dpop_jkt")?.count == 43)
        }
        await fixture.server.stop()
    }

    @Test("Nothing that only looks like the person's own record gets a bearer token", .guards("counterfeit API"))
    func lookAlikes() async throws {
        let (fixture, wire) = (try await fixture(), Wire())
        let provider = try fixture.provider(prompter: ScriptedPrompter(fixture.credentials), bindsTokens: true)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        let base = fixture.server.url.absoluteString
        let other = "http://127.0.0.1:1"
        for address in [
            base + "/users/meow", base + "/users/me/../../api/resource", base + "/users/me/%2e%2e/x",
            base + "/oauth2/users/me", base + "/users", base + "/Users/me", other + "/users/me", base + "@evil.example",
            "https://evil.example/users/me", base + "/users/me%2F..%2F..",
        ] {
            let url = try #require(URL(string: address))
            let sent = try await provider.authorize(URLRequest(url: url), for: fixture.account, scopes: [])
            #expect(sent.value(forHTTPHeaderField: "Authorization")?.hasPrefix("DPoP ") == true, "\(address)")
        }
        for address in [base + "/users/me", base + "/users/me?include=display", base + "/users/me/meta"] {
            let url = try #require(URL(string: address))
            let sent = try await provider.authorize(URLRequest(url: url), for: fixture.account, scopes: [])
            #expect(sent.value(forHTTPHeaderField: "Authorization")?.hasPrefix("Bearer ") == true, "\(address)")
            #expect(sent.value(forHTTPHeaderField: "DPoP") == nil)
        }
        _ = wire
        await fixture.server.stop()
    }

    @Test("An API that wants a nonce of its own gets it, also when it changes")
    func nonces() async throws {
        let (fixture, wire) = (try await fixture { $0.resourceRequiresNonces = true }, Wire())
        let client = try await client(fixture, wire)
        let path = "/api/resource"
        #expect(try await client.data(for: request(fixture, "api/resource")).1.statusCode == 200)
        #expect(wire.requests(to: path).map(\.status) == [401, 200])
        #expect(try await client.data(for: request(fixture, "api/resource")).1.statusCode == 200)
        #expect(wire.requests(to: path).map(\.status) == [401, 200, 200])
        // The second change makes the nonce that is known useless.
        for _ in 0..<2 {
            fixture.clock.advance(by: .seconds(300))
            _ = try await wire.data(for: request(fixture, "api/resource"))
            var unrelated = request(fixture, "api/resource")
            unrelated.setValue("x", forHTTPHeaderField: "DPoP")
            _ = try await wire.data(for: unrelated)
        }
        #expect(try await client.data(for: request(fixture, "api/resource")).1.statusCode == 200)
        #expect(fixture.server.counters.refreshes == 0)
        await fixture.server.stop()
    }

    @Test("A bound token that was refused is refreshed, with the nonce that the refusal brought")
    func refusedToken() async throws {
        let (fixture, wire) = (try await fixture { $0.resourceRequiresNonces = true }, Wire())
        let client = try await client(fixture, wire)
        _ = try await client.data(for: request(fixture, "api/resource"))
        fixture.clock.advance(by: .seconds(1))
        let refusal = LocalResponse.json(["error": "invalid_token"], status: 401)
            .with(header: "WWW-Authenticate", #"DPoP error="invalid_token""#)
        fixture.server.http.fail(.answer(refusal), pathPrefix: "/api/resource")
        #expect(try await client.data(for: request(fixture, "api/resource")).1.statusCode == 200)
        #expect(fixture.server.counters.refreshes == 1)
        let sent = wire.requests(to: "/api/resource").suffix(2).compactMap { $0.header("Authorization") }
        #expect(Set(sent).count == 2 && sent.allSatisfy { $0.hasPrefix("DPoP ") })
        await fixture.server.stop()
    }

    @Test("Requests of another library are authorized, and once more after a refusal")
    func authorizer() async throws {
        let (fixture, wire) = (try await fixture { $0.resourceRequiresNonces = true }, Wire())
        let authorizer = try await client(fixture, wire).authorizer()
        let first = try await authorizer.authorize(request(fixture, "api/resource"))
        let (_, refusal) = try await wire.data(for: first)
        #expect(refusal.statusCode == 401)
        let again = try #require(try await authorizer.retry(of: first, after: refusal))
        #expect(again.value(forHTTPHeaderField: "Authorization") == first.value(forHTTPHeaderField: "Authorization"))
        #expect(try await wire.data(for: again).1.statusCode == 200)
        // Without the response, only another token can be tried.
        fixture.clock.advance(by: .seconds(1))
        let other = try #require(try await authorizer.retry(of: first))
        #expect(other.value(forHTTPHeaderField: "Authorization") != first.value(forHTTPHeaderField: "Authorization"))
        #expect(try await authorizer.retry(of: request(fixture, "api/resource")) == nil)
        await fixture.server.stop()
    }

    @Test("Another process on the same store proves the same key, also where its configuration does not say so")
    func secondProcess() async throws {
        let folder = try TemporaryFolder()
        let stores = try (0..<3).map { _ in
            try StoreConfiguration.file(folder: folder.file("store").path, key: .allowUnencryptedStorage).open()
        }
        let fixture = try await fixture(store: stores[0])
        let wire = Wire()
        _ = try await client(fixture, wire)
        for (store, binds) in [(stores[1], true), (stores[2], false)] {
            let provider = try fixture.provider(bindsTokens: binds, transport: wire, store: store)
            let request = try await provider.authorize(
                request(fixture, "api/resource"), for: fixture.account, scopes: [])
            #expect(try await wire.data(for: request).1.statusCode == 200)
        }
        let keys = try wire.requests(to: "/api/resource").map { exchange in
            try JSONWebToken(Secret(#require(exchange.header("DPoP")))).header["jwk"]
        }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
        await fixture.server.stop()
    }

    @Test("A session that is not bound has bearer tokens everywhere")
    func unbound() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try await fixture.signedIn()
        let first = try await provider.authorize(request(fixture, "api/resource"), for: fixture.account, scopes: [])
        #expect(first.value(forHTTPHeaderField: "Authorization")?.hasPrefix("Bearer ") == true)
        #expect(first.value(forHTTPHeaderField: "DPoP") == nil)
        fixture.clock.advance(by: .seconds(1))
        let again = try #require(
            try await provider.reauthorize(first, after: nil, for: fixture.account, scopes: []))
        #expect(again.value(forHTTPHeaderField: "Authorization")?.hasPrefix("Bearer ") == true)
        #expect(again.value(forHTTPHeaderField: "Authorization") != first.value(forHTTPHeaderField: "Authorization"))
        await fixture.server.stop()
    }

    @Test("A refused request of a suspended session has no other token, bound or not", arguments: [true, false])
    func suspended(isBound: Bool) async throws {
        let fixture = try await fixture { $0.application.requiresDPoP = isBound }
        let provider = try fixture.provider(prompter: ScriptedPrompter(fixture.credentials), bindsTokens: isBound)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        let sent = try await provider.authorize(request(fixture, "api/resource"), for: fixture.account, scopes: [])
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.http.fail(
            .answer(.json(["error": "login_required"], status: 400)), pathPrefix: "/oauth2/token", times: 20)
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_suspended")
        let refusal = try #require(
            HTTPURLResponse(url: fixture.server.url, statusCode: 401, httpVersion: nil, headerFields: nil))
        #expect(try await provider.reauthorize(sent, after: refusal, for: fixture.account, scopes: []) == nil)
        await fixture.server.stop()
    }

    // MARK: The documented client

    @Test("The documented client asks userinfo for the person of a bound session with a proof")
    func userInfo() async throws {
        let fixture = try await ClientFixture(
            configuration: .init {
                $0.application.requiresDPoP = true
                $0.application.accessTokenAttributes = []
            }
        ) { $0.bindsTokens = true }
        fixture.server.http.fail(.answer(.text("", status: 404)), pathPrefix: "/users/me", times: 9)
        try await fixture.signIn()
        #expect(try await fixture.client.getUser().email == "ada@example.org")
        let asked = fixture.wire.requests(to: "/oauth2/userinfo")
        #expect(asked.map(\.status) == [200] && asked.first?.header("DPoP") != nil)
        await fixture.server.stop()
    }

    @Test("The documented client reads and writes the record of a bound session")
    func documentedClient() async throws {
        let fixture = try await ClientFixture(
            configuration: .init {
                $0.application.requiresDPoP = true
                $0.application.accessTokenAttributes = []
                $0.application.idTokenAttributes = []
                $0.resourceRequiresNonces = true
            }
        ) { $0.bindsTokens = true }
        try await fixture.signIn()
        #expect(try await fixture.client.getUser().username == "ada")
        #expect(try await fixture.client.getUserProfile().id == fixture.server.user.id)
        let user = try await fixture.client.updateUserProfile(payload: ["given_name": "Augusta"])
        #expect(user.claims?["given_name"]?.value as? String == "Augusta")
        // An API of one's own, with a nonce.
        let resource = URLRequest(url: fixture.server.url.appendingPathComponent("api/resource"))
        let first = try await fixture.client.authorized(resource)
        let (_, refusal) = try await fixture.wire.data(for: first)
        #expect(refusal.statusCode == 401)
        let again = try #require(try await fixture.client.reauthorized(first, after: refusal))
        #expect(try await fixture.wire.data(for: again).1.statusCode == 200)
        let schemes = fixture.wire.requests(to: "/users/me").map { $0.header("Authorization")?.prefix(7) }
        #expect(!schemes.isEmpty && schemes.allSatisfy { $0 == "Bearer " })
        #expect(fixture.server.counters.refreshes == 0)
        await fixture.server.stop()
    }
}
