import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What an attacker can do with a credential that was read on its way, and where credentials must not be read.
@Suite struct StolenCredentialTests {
    @Test(
        "A stolen code that is put into the response to another sign-in is refused, because its verifier is elsewhere",
        .guards("code injection", "code interception"))
    func injectedCode() async throws {
        let fixture = try await OpenIDFixture()
        let victim = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let stolen = try #require(CallbackURL(victim)["code"])
        let provider = fixture.provider(
            browser: ScriptedBrowser { [login = fixture.login] page in
                let own = try await login.signIn(at: page)
                var parts = try #require(URLComponents(url: own, resolvingAgainstBaseURL: true))
                parts.queryItems = parts.queryItems?.map {
                    $0.name == "code" ? URLQueryItem(name: "code", value: stolen) : $0
                }
                return try #require(parts.url)
            })
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "invalid_grant")
        #expect(fixture.requests(to: "/token") == 1)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("No address that is asked for, or shown in the browser, has a token in it", .guards("tokens in addresses"))
    func addresses() async throws {
        let fixture = try await OpenIDFixture()
        let addresses = AddressRecorder()
        let provider = fixture.provider(
            browser: ScriptedBrowser { [login = fixture.login] page in
                await addresses.note(page)
                return try await login.signIn(at: page)
            }, transport: addresses)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        let first = try await fixture.session(in: provider)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        _ = try await provider.userInfo(for: fixture.account)
        let second = try await fixture.session(in: provider)
        try await provider.signOut(fixture.account)
        let seen = await addresses.all
        #expect(seen.count > 10)
        for secret in [first.accessToken, second.accessToken, first.refreshToken, second.refreshToken] {
            let text = try #require(secret?.reveal())
            #expect(!seen.contains { $0.contains(text) })
        }
        await fixture.server.stop()
    }

    @Test(
        "A token endpoint that redirects its request gets nothing handed on, neither codes nor refresh tokens",
        .guards("redirected credentials"), arguments: [307, 308])
    func redirected(status: Int) async throws {
        let fixture = try await OpenIDFixture()
        let thief = try await LocalHTTPServer.start { _ in .json(["access_token": "a", "token_type": "Bearer"]) }
        let redirect = LocalResponse(status: status, headers: [("Location", thief.url.absoluteString)])
        fixture.server.http.fail(.answer(redirect), pathPrefix: "/token")
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn() }
        #expect(error?.failureCode == "answer_redirected")
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.http.fail(.answer(redirect), pathPrefix: "/token")
        _ = try? await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.requests(to: "/token") == 3)
        #expect(thief.log.isEmpty)
        await fixture.server.stop()
        await thief.stop()
    }

    @Test(
        "An assertion that one server got is refused by another one, where the same key is registered",
        .guards("assertion audience", "client authentication"))
    func replayedAssertion() async throws {
        let key = try SigningKey(keyID: "app-1")
        func server(_ clock: ManualClock) async throws -> OpenIDFixture {
            try await OpenIDFixture(clock: clock) {
                $0.clients = [.init(id: "an app", authentication: .privateKeyJWT([.object(key.publicKey.members)]))]
            }
        }
        let clock = ManualClock()
        let (attacker, honest) = (try await server(clock), try await server(clock))
        let forms = FormRecorder()
        let provider = attacker.provider(transport: forms) {
            $0.authentication = .privateKeyJWT(
                ClientAssertion(key: key, audience: attacker.server.issuer, time: clock.dates))
        }
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        let assertion = await forms.fields(to: "/token").filter { $0.name.hasPrefix("client_") }
        #expect(assertion.map(\.name).contains("client_assertion"))
        let grant = [FormField("grant_type", "client_credentials")]
        for (fixture, status) in [(honest, 401), (attacker, 401)] {
            var request = URLRequest(url: fixture.server.url.appendingPathComponent("token"))
            request.httpMethod = "POST"
            request.setValue(FormEncoding.contentType, forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(FormEncoding.encode(grant + assertion).utf8)
            #expect(try await DefaultTransport.make().data(for: request).1.statusCode == status)
        }
        await attacker.server.stop()
        await honest.server.stop()
    }
}

/// Remembers every address that was asked for.
private actor AddressRecorder: HTTPTransport {
    private let base = DefaultTransport.make()
    private(set) var all: [String] = []

    func note(_ address: URL) { all.append(address.absoluteString) }

    func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        all.append(request.url?.absoluteString ?? "")
        return try await base.data(for: request)
    }
}

extension OpenIDFixture {
    /// What is stored of the session now.
    fileprivate func session(in provider: OAuthSessionProvider) async throws -> Credential {
        try await provider.sessions.credential(for: account, scopes: [])
    }
}
