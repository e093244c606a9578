import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// Authorization requests that the client signs (RFC 9101).
@Suite struct RequestObjectTests {
    private static func fixture(
        _ key: SigningKey, pushed: Bool = false, required: Bool = true
    ) async throws -> OpenIDFixture {
        try await OpenIDFixture {
            $0.clients = [.init(id: "app", authentication: .privateKeyJWT([.object(key.publicKey.members)]))]
            $0.requiresSignedRequests = required
            $0.requiresPushedRequests = pushed
        }
    }

    private static func authentication(_ key: SigningKey, at fixture: OpenIDFixture) -> ClientAuthentication {
        .privateKeyJWT(ClientAssertion(key: key, audience: fixture.server.issuer, time: fixture.clock.dates))
    }

    @Test("A server that requires signed requests gets them, in the browser and pushed", arguments: [false, true])
    func required(pushed: Bool) async throws {
        let key = try SigningKey(keyID: "1")
        let fixture = try await Self.fixture(key, pushed: pushed)
        let provider = try await fixture.signedIn {
            $0.authentication = Self.authentication(key, at: fixture)
            $0.options.maxAge = 300
            $0.options.resources = ["https://a.example", "https://b.example"]
            $0.options.authorizationDetails = [["type": "payment", "amount": ["value": 1]]]
        }
        let account = try #require(try await provider.silentAccount(scopes: [], deviceToken: "d").account)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: account, scopes: [])
        await fixture.server.stop()
    }

    @Test("The browser sees the client, the scopes and the signed object, and nothing that could be changed")
    func visible() async throws {
        let key = try SigningKey(keyID: "1")
        let fixture = try await Self.fixture(key, required: false)
        let page = try await fixture.abandonedSignIn {
            $0.authentication = Self.authentication(key, at: fixture)
            $0.signsAuthorizationRequests = true
            $0.options.maxAge = 300
        }
        let sent = try CallbackURL(page)
        #expect(sent.parameters.map(\.name).sorted() == ["client_id", "request", "response_type", "scope"])
        let object = try JSONWebToken(Secret(#require(sent["request"])))
        #expect(object.type == "oauth-authz-req+jwt")
        #expect(object.issuer == "app" && object.audience == [fixture.server.issuer] && object.subject == nil)
        #expect(object.claims["max_age"] == 300 && object.claims["client_id"] == "app")
        #expect(object.claims["state"] != nil && object.claims["code_challenge"] != nil)
        await fixture.server.stop()
    }

    @Test("An object that somebody changed, and one of another key, are not taken", arguments: [false, true])
    func forged(changesKey: Bool) async throws {
        let key = try SigningKey(keyID: "1")
        let fixture = try await Self.fixture(key)
        let used = changesKey ? try SigningKey(keyID: "1") : key
        let provider = fixture.provider(
            browser: ScriptedBrowser { page in
                let changed = page.absoluteString.replacingOccurrences(of: "request=e", with: "request=f")
                guard let page = URL(string: changesKey ? page.absoluteString : changed) else {
                    throw CancellationError()
                }
                return try await fixture.login.signIn(at: page)
            }
        ) { $0.authentication = Self.authentication(used, at: fixture) }
        await #expect(throws: (any Error).self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(fixture.server.counters.codesIssued == 0)
        await fixture.server.stop()
    }

    @Test("A client without a key is told so before the browser opens")
    func noKey() async throws {
        let fixture = try await OpenIDFixture { $0.requiresSignedRequests = true }
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn() }
        #expect(error?.failureCode == "setting_unsigned_request")
        #expect(fixture.requests(to: "/authorize") == 0)
        await fixture.server.stop()
    }
}
