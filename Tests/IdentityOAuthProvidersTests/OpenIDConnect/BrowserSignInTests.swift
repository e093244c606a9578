import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@Suite struct BrowserSignInTests {
    @Test(
        "A session from its beginning to its end, for every signature algorithm, with user info in JSON and signed",
        arguments: LocalOpenIDConnectServer.SigningAlgorithm.allCases, [false, true])
    func wholeSession(algorithm: LocalOpenIDConnectServer.SigningAlgorithm, signsUserInfo: Bool) async throws {
        let fixture = try await OpenIDFixture {
            $0.signingAlgorithm = algorithm
            $0.signsUserInfo = signsUserInfo
        }
        let provider = fixture.provider()
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        let token = try await provider.accessToken(for: fixture.account, scopes: ["openid", "email"])
        #expect(try await fixture.resourceStatus(token: token) == 200)
        let person = try await provider.userInfo(for: fixture.account)
        #expect(person.subject == fixture.account.account)
        #expect(person.claims["email"] == "ada@example.org")

        fixture.clock.advance(by: .seconds(3600))
        let refreshed = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(refreshed != token)
        #expect(fixture.server.counters.refreshes == 1)

        try await provider.signOut(fixture.account)
        #expect(try await fixture.resourceStatus(token: refreshed) == 401)
        #expect(fixture.server.counters.familiesRevoked == 1)
        #expect(fixture.server.counters.signOuts == 1)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test(
        "PKCE by S256, a state and a nonce go with every request (RFC 7636, RFC 6749 section 10.12)",
        .guards("code interception"))
    func protections() async throws {
        let fixture = try await OpenIDFixture()
        let page = try CallbackURL(await fixture.abandonedSignIn())
        #expect(page["code_challenge_method"] == "S256")
        #expect(page["code_challenge"]?.count == 43)
        #expect(page["state"]?.count == 43)
        #expect(page["nonce"]?.count == 43)
        #expect(page["scope"] == "openid profile email offline_access")
        await fixture.server.stop()
    }

    @Test("A silent account needs no request")
    func silent() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        let before = fixture.server.http.log.count
        let later = fixture.provider()
        #expect(try await later.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        _ = try await later.accessToken(for: fixture.account, scopes: ["openid"])
        #expect(fixture.server.http.log.count == before)
        await fixture.server.stop()
    }

    @Test("A refusal by the person is an error of its own, and begins no session (RFC 6749 section 4.1.2.1)")
    func refusal() async throws {
        let fixture = try await OpenIDFixture()
        let refusing = ScriptedLogin(
            username: fixture.server.user.username, password: fixture.server.user.password, allows: false)
        let provider = fixture.provider(browser: ScriptedBrowser { try await refusing.signIn(at: $0) })
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == "access_denied")
        #expect(fixture.requests(to: "/token") == 0)
        await fixture.server.stop()
    }

    @Test(
        "An error without a state ends a sheet with its reason; one of another server is not shown",
        arguments: [
            ("?error=access_denied&error_description=Ask+Grace", "access_denied"),
            ("#error=server_error", "server_error"),
            ("?error=access_denied&iss=https%3A%2F%2Fevil.example", "callback_state_missing"),
            ("?code=c", "callback_state_missing"),
        ])
    func sheet(suffix: String, code: String) async throws {
        let fixture = try await OpenIDFixture()
        let callback = try #require(URL(string: OpenIDFixture.redirectURI + suffix))
        let provider = fixture.provider(browser: ScriptedBrowser { _ in callback })
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureCode == code)
        #expect(error?.message.contains("Ask Grace") == suffix.contains("Ask"))
        await fixture.server.stop()
    }

    @Test("A server out of reach is transient, and is found at the next try")
    func lateServer() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.http.fail(
            .answer(.text("busy", status: 503)), pathPrefix: "/.well-known/openid-configuration")
        fixture.server.http.fail(
            .answer(.text("busy", status: 503)), pathPrefix: "/.well-known/oauth-authorization-server")
        let provider = fixture.provider()
        let error = await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.failureClass == .transient)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        await fixture.server.stop()
    }

    @Test("Two sign-ins at once keep their own state and verifier", .guards("fresh values"))
    func concurrent() async throws {
        let fixture = try await OpenIDFixture()
        let meeting = Meeting(of: 2)
        let provider = fixture.provider(
            browser: ScriptedBrowser { [login = fixture.login] page in
                _ = try await meeting.join(page)
                return try await login.signIn(at: page)
            })
        async let first = provider.signIn(scopes: [], deviceToken: "d")
        async let second = provider.signIn(scopes: [], deviceToken: "d")
        #expect(try await first == fixture.account)
        #expect(try await second == fixture.account)
        #expect(fixture.server.counters.codesIssued == 2)
        #expect(try await fixture.pendingFlows == 0)
        await fixture.server.stop()
    }

    @Test("A callback that reaches the other of two sign-ins is refused by both", .guards("state", "fresh values"))
    func exchangedCallbacks() async throws {
        let fixture = try await OpenIDFixture()
        let meeting = Meeting(of: 2)
        let provider = fixture.provider(
            browser: ScriptedBrowser { [login = fixture.login] page in
                let pages = try await meeting.join(page)
                return try await login.signIn(at: pages.first { $0 != page } ?? page)
            })
        func attempt() async -> String? {
            do {
                _ = try await provider.signIn(scopes: [], deviceToken: "d")
                return nil
            } catch {
                return (error as? OAuthError)?.failureCode
            }
        }
        async let first = attempt()
        async let second = attempt()
        #expect(await [first, second] == ["callback_state_mismatch", "callback_state_mismatch"])
        #expect(fixture.requests(to: "/token") == 0)
        await fixture.server.stop()
    }
}

/// Holds its guests until all are there, then tells each who came.
private actor Meeting {
    private let size: Int
    private var guests: [URL] = []
    private var waiting: [CheckedContinuation<[URL], any Error>] = []

    init(of size: Int) {
        self.size = size
    }

    func join(_ guest: URL) async throws -> [URL] {
        guests.append(guest)
        guard guests.count == size else {
            return try await withCheckedThrowingContinuation { waiting.append($0) }
        }
        for continuation in waiting { continuation.resume(returning: guests) }
        return guests
    }
}
