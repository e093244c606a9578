import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityOAuth
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sessions whose tokens are bound to keys of their own (RFC 9449).
@Suite struct SessionKeyTests {
    private static let bound: [String: JSONValue] = ["bindsTokens": true, "scopes": ["read"]]

    private func fixture() async throws -> OAuth2Fixture {
        try await OAuth2Fixture { configuration in
            configuration.requiresDPoPNonces = true
            for index in configuration.clients.indices { configuration.clients[index].requiresDPoP = true }
        }
    }

    private func key(of fixture: OAuth2Fixture) async throws -> SigningKey {
        try SigningKey(jwk: #require(try await fixture.credential?.proofKey))
    }

    @Test("A session keeps its key when it is refreshed and when it gets more scopes; the next one has another")
    func lifetime() async throws {
        let fixture = try await fixture()
        let provider = try await fixture.signedIn(Self.bound)
        let first = try await key(of: fixture)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await key(of: fixture).publicKey == first.publicKey)
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["write"], deviceToken: "d")
        #expect(try await fixture.credential?.scopes == ["read", "write"])
        #expect(try await key(of: fixture).publicKey == first.publicKey)
        try await provider.signOut(fixture.account)
        #expect(try await fixture.credential == nil)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        #expect(try await key(of: fixture).publicKey != first.publicKey)
        await fixture.server.stop()
    }

    @Test("Another process uses the session with its key, and the nonce of the server is learnt once by each")
    func otherProcess() async throws {
        let fixture = try await fixture()
        _ = try await fixture.signedIn(Self.bound)
        let other = try fixture.provider(Self.bound)
        let request = URLRequest(url: fixture.server.url.appendingPathComponent("api/resource"))
        let client = IdentityClient(provider: other, environment: IdentityEnvironment(store: MemoryTokenStore()))
        for _ in 0..<2 {
            let (_, response) = try await client.data(for: request, as: fixture.account)
            #expect(response.statusCode == 200)
        }
        fixture.clock.advance(by: .seconds(3600))
        let key = try await key(of: fixture)
        _ = try await other.accessToken(for: fixture.account, scopes: [])
        #expect(try await self.key(of: fixture).publicKey == key.publicKey)
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("The code of a flow is bound to the key that its tokens will have, also when the app is restarted meanwhile")
    func restarted() async throws {
        let fixture = try await fixture()
        let callback = Locked<URL?>(nil)
        let stopped = try fixture.provider(
            Self.bound,
            browser: ScriptedBrowser { page in
                let url = try await fixture.login.signIn(at: page)
                callback.withLock { $0 = url }
                throw CancellationError()
            })
        await #expect(throws: CancellationError.self) { try await stopped.signIn(scopes: [], deviceToken: "d") }
        let restarted = try fixture.provider(Self.bound)
        let url = try #require(callback.withLock { $0 })
        #expect(try await restarted.finishSignIn(url) == fixture.account)
        #expect(try await fixture.credential?.tokenType == "DPoP")
        await fixture.server.stop()
    }

    @Test("The pushed request and the code are bound to the same key")
    func pushed() async throws {
        let fixture = try await OAuth2Fixture { configuration in
            configuration.requiresPushedRequests = true
            for index in configuration.clients.indices { configuration.clients[index].requiresDPoP = true }
        }
        _ = try await fixture.signedIn(Self.bound.merging(["endpoints": nil]) { $1 })
        let pushed = try #require(fixture.requests(to: "/par").first)
        #expect(try await pushed["dpop_jkt"] == key(of: fixture).publicKey.thumbprint)
        await fixture.server.stop()
    }

    @Test("A proof that the server refuses with a pushed request is left out: the request names the key")
    func refusedWithPushedRequest() async throws {
        let fixture = try await OAuth2Fixture { $0.requiresPushedRequests = true }
        let refusal = LocalResponse.json(["error": "invalid_dpop_proof"], status: 403)
        fixture.server.http.fail(.answer(refusal), pathPrefix: "/par")
        _ = try await fixture.signedIn(Self.bound.merging(["endpoints": nil]) { $1 })
        let pushed = fixture.requests(to: "/par")
        #expect(pushed.count == 2)
        let key = try await key(of: fixture)
        #expect(pushed.allSatisfy { $0["dpop_jkt"] == key.publicKey.thumbprint })
        await fixture.server.stop()
    }

    @Test("A session whose key is gone sends nothing and says what is wrong")
    func keyIsGone() async throws {
        let fixture = try await fixture()
        _ = try await fixture.signedIn(Self.bound)
        var credential = try #require(try await fixture.credential)
        credential.proofKey = nil
        let provider = try fixture.provider(Self.bound)
        try await provider.sessions.begin(credential, for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        await #expect(throws: OAuthError.self) { try await provider.accessToken(for: fixture.account, scopes: []) }
        #expect(fixture.server.counters.refreshes == 0)
        #expect(try await fixture.credential != nil)
        await fixture.server.stop()
    }

    @Test(
        "A bearer token in the place of a bound one is not taken, also when it comes of a refresh (RFC 9449 section 5)")
    func downgraded() async throws {
        let fixture = try await OAuth2Fixture()
        let provider = try await fixture.signedIn(Self.bound)
        let credential = try await fixture.credential
        fixture.server.misbehave(.bearerForDPoP)
        fixture.clock.advance(by: .seconds(3600))
        await #expect(throws: OAuthError.self) { try await provider.accessToken(for: fixture.account, scopes: []) }
        #expect(try await fixture.credential?.accessToken == credential?.accessToken)
        await fixture.server.stop()
    }

    @Test("A bearer session becomes a bound one with its next refresh, once that is configured")
    func switchedOn() async throws {
        let fixture = try await OAuth2Fixture()
        _ = try await fixture.signedIn(["scopes": ["read"]])
        #expect(try await fixture.credential?.proofKey == nil)
        let provider = try fixture.provider(Self.bound)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await fixture.credential?.tokenType == "DPoP")
        _ = try await key(of: fixture)
        await fixture.server.stop()
    }
}
