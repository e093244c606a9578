import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A provider for a plain OAuth server")
struct OAuthSessionProviderTests {
    @Test("A plain OAuth server keeps the contract", arguments: ProviderRule.allCases)
    func conforms(rule: ProviderRule) async {
        let result = await ProviderConformance.check(rule) { try await Self.subject() }
        #expect(result.verdict == .kept, "\(result)")
    }

    private static func subject() async throws -> ProviderUnderTest {
        let (plain, screen, wire) = (try await PlainServer(), InteractionCounter(), WatchedTransport())
        let nobody = ScriptedBrowser { _ in throw CancellationError() }
        let provider = try plain.provider(browser: screen.counting(plain.browser()), transport: wire)
        let impatient = try plain.provider(browser: nobody, transport: wire)
        var subject = ProviderUnderTest(provider) {
            // Tokens of one second may be the same token.
            defer { plain.clock.advance(by: .seconds(1)) }
            return try #require(await provider.signIn(scopes: [], deviceToken: "device"))
        }
        (subject.wire, subject.clock) = (wire, plain.clock)
        subject.restart = { try plain.provider(browser: nobody, transport: wire) }
        subject.configure = { try plain.provider(transport: wire, name: $0, address: $1) }
        subject.giveUpSignIn = { try await impatient.signIn(scopes: [], deviceToken: "device") }
        subject.expire = { plain.clock.advance(by: .seconds(3600)) }
        subject.revoke = { plain.local.revokeTokens(ofUser: plain.local.user.id) }
        subject.goOffline = { await plain.local.stop() }
        subject.interactions = { screen.count }
        subject.refreshes = { plain.local.counters.refreshes }
        subject.missingScope = "a-scope-nobody-granted"
        subject.secrets = [plain.local.user.password.reveal()]
        subject.lacks = [.log: "it writes none"]
        subject.finish = { await plain.local.stop() }
        return subject
    }

    @Test("The person and what is shown of them come from the server's own resource, and no ID token is asked for")
    func account() async throws {
        let plain = try await PlainServer()
        let provider = try plain.provider()
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == plain.account)
        let credential = try #require(try await provider.sessions.storedCredential(of: plain.account))
        #expect(credential.idToken == nil)
        #expect(credential.profile?.displayName == "Hello, \(plain.local.user.username).")
        #expect(credential.scopes == ["read"])
        await plain.local.stop()
    }

    @Test("Scopes that a session lacks are asked for beside those it has")
    func stepUp() async throws {
        let plain = try await PlainServer()
        let provider = try plain.provider()
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        _ = try await provider.requestAuthorization(for: plain.account, scopes: ["write"], deviceToken: "d")
        _ = try await provider.accessToken(for: plain.account, scopes: ["read", "write"])
        await plain.local.stop()
    }

    @Test("Another person who signs in at a step-up is refused, and the session stays")
    func anotherPerson() async throws {
        let grace = LocalOpenIDConnectServer.User(id: "2", username: "grace", password: "Hopper-1")
        let plain = try await PlainServer { $0.users.append(grace) }
        _ = try await plain.provider().signIn(scopes: [], deviceToken: "d")
        let provider = try plain.provider(browser: plain.browser(grace))
        let error = await #expect(throws: OAuthError.self) {
            try await provider.requestAuthorization(for: plain.account, scopes: ["write"], deviceToken: "d")
        }
        #expect(error?.failureCode == "userinfo_sub_mismatch")
        _ = try await provider.accessToken(for: plain.account, scopes: ["read"])
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == plain.account)
        await plain.local.stop()
    }

    @Test("An ID token that comes all the same may name the person in its own way, also at a step-up and a refresh")
    func foreignSubject() async throws {
        let plain = try await PlainServer()
        let provider = try plain.provider {
            $0 = OAuthServer(
                type: "plain", issuer: plain.local.issuer, client: $0.client,
                account: .request(
                    plain.local.url.appendingPathComponent("api/resource"), identifier: "message"))
            $0.scopes = ["openid"]
            $0.redirectURI = URL(string: "com.example.app:/callback")
        }
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        #expect(account.account == "Hello, \(plain.local.user.username).")
        _ = try await provider.requestAuthorization(for: account, scopes: ["read"], deviceToken: "d")
        plain.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: account, scopes: ["openid", "read"])
        #expect(plain.local.counters.refreshes == 1)
        await plain.local.stop()
    }

    @Test("A session that is bound to a key proves it with every request")
    func bound() async throws {
        let plain = try await PlainServer {
            $0.clients = [.init(id: "app") { $0.requiresDPoP = true }]
            $0.requiresDPoPNonces = true
        }
        let provider = try plain.provider { $0.bindsTokens = true }
        let client = IdentityClient(
            provider: provider,
            environment: IdentityEnvironment(store: plain.store, transport: plain.wire, time: plain.clock.timeSource))
        _ = try await client.signIn()
        // A nonce that has grown too old is asked for anew, with the same token.
        for _ in 0..<2 {
            plain.clock.advance(by: .seconds(301))
            _ = plain.local.dpopNonce
        }
        let (_, response) = try await client.data(for: plain.resourceRequest())
        #expect(response.statusCode == 200)
        #expect(await plain.wire.statuses(of: "/api/resource").suffix(2) == [401, 200])
        #expect(plain.local.counters.refreshes == 0)
        // A bearer token belongs to no session here.
        let token = try await provider.accessToken(for: plain.account, scopes: [])
        var request = plain.resourceRequest()
        request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        #expect(try await plain.wire.data(for: request).1.statusCode == 401)
        // Another start of the app has the same key.
        let restarted = try plain.provider { $0.bindsTokens = true }
        plain.clock.advance(by: .seconds(3600))
        let authorized = try await restarted.authorize(plain.resourceRequest(), for: plain.account, scopes: [])
        #expect(authorized.value(forHTTPHeaderField: "Authorization")?.hasPrefix("DPoP ") == true)
        #expect(plain.local.counters.refreshes == 1)
        await plain.local.stop()
    }
}
