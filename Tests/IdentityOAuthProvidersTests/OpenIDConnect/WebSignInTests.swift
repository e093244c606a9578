import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// Sign-ins of a web server's visitors: each begins on one machine, and may end on another.
@Suite struct WebSignInTests {
    private static let redirectURI = URL(string: "https://app.example.com/callback")

    /// A provider on a machine without a browser.
    private func machine(
        _ fixture: OpenIDFixture, _ configure: (inout OpenIDConnectSettings) -> Void = { _ in }
    ) -> OAuthSessionProvider {
        var settings = fixture.settings { $0.redirectURI = Self.redirectURI }
        configure(&settings)
        let environment = IdentityEnvironment(
            store: fixture.store, webAuthenticator: nil, refreshMonitor: fixture.refreshes, time: fixture.clock.dates)
        return OAuthSessionProvider(
            settings.server, context: ProviderContext(name: "work", environment: environment))
    }

    private func server() async throws -> OpenIDFixture {
        try await OpenIDFixture { $0.clients[0].redirectURIs = ["https://app.example.com/callback"] }
    }

    /// The query of the callback with which the server sends the person's browser back.
    private func signIn(_ fixture: OpenIDFixture, at page: URL) async throws -> String {
        let callback = try await fixture.login.signIn(at: page)
        return try #require(URLComponents(url: callback, resolvingAgainstBaseURL: false)?.percentEncodedQuery)
    }

    /// A record as a sealed cookie would bring it back.
    private func kept(_ pending: PendingAuthorization) throws -> PendingAuthorization {
        try JSONDecoder().decode(PendingAuthorization.self, from: JSONEncoder().encode(pending))
    }

    @Test("One machine begins a sign-in, another one finishes it behind a proxy, and a third one has the session")
    func anyMachine() async throws {
        let fixture = try await server()
        let (page, pending) = try await machine(fixture).beginSignIn(scopes: ["read"])
        #expect(try await fixture.pendingFlows == 0)
        let query = try await signIn(fixture, at: page)
        #expect(
            try await machine(fixture).finishSignIn(kept(pending), path: "/callback", query: query) == fixture.account)
        let token = try await machine(fixture).accessToken(for: fixture.account, scopes: ["read"])
        #expect(try await fixture.resourceStatus(token: token) == 200)
        await fixture.server.stop()
    }

    @Test("The callback of one browser is worth nothing in another one, and finishes its own afterwards")
    func otherBrowser() async throws {
        let fixture = try await server()
        let machine = machine(fixture)
        let (page, pending) = try await machine.beginSignIn()
        let stranger = try await machine.beginSignIn().pending
        let query = try await signIn(fixture, at: page)
        let error = await #expect(throws: OAuthError.self) {
            try await machine.finishSignIn(stranger, path: "/callback", query: query)
        }
        #expect(error?.failureCode == "callback_state_mismatch")
        #expect(fixture.requests(to: "/token") == 0)
        #expect(try await machine.finishSignIn(pending, path: "/callback", query: query) == fixture.account)
        // A browser may send it twice. The code goes to the server once, and is worth nothing later.
        #expect(try await machine.finishSignIn(pending, path: "/callback", query: query) == fixture.account)
        await #expect(throws: OAuthError.self) {
            try await machine.finishSignIn(stranger, path: "/callback", query: query)
        }
        #expect(fixture.requests(to: "/token") == 1)
        fixture.clock.advance(by: .seconds(61))
        await #expect(throws: OAuthError.self) {
            try await machine.finishSignIn(pending, path: "/callback", query: query)
        }
        await fixture.server.stop()
    }

    @Test("While the server's keys cannot be fetched no code is sent, and a reload of the page signs in")
    func keysOutOfReach() async throws {
        let fixture = try await server()
        let machine = machine(fixture)
        let (page, pending) = try await machine.beginSignIn()
        let query = try await signIn(fixture, at: page)
        fixture.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/jwks")
        let error = await #expect(throws: OAuthError.self) {
            try await machine.finishSignIn(pending, path: "/callback", query: query)
        }
        #expect(error?.failureCode == "answer_failed_status" && fixture.requests(to: "/token") == 0)
        #expect(try await machine.finishSignIn(pending, path: "/callback", query: query) == fixture.account)
        await fixture.server.stop()
    }

    @Test("A sign-in that was begun at another server or by another client is refused", arguments: [true, false])
    func otherProvider(isOtherServer: Bool) async throws {
        let (fixture, other) = (try await server(), try await server())
        let (page, pending) = try await machine(fixture).beginSignIn()
        let query = try await signIn(fixture, at: page)
        let stranger = isOtherServer ? machine(other) : machine(fixture) { $0.clientID = "another" }
        let error = await #expect(throws: OAuthError.self) {
            try await stranger.finishSignIn(pending, path: "/callback", query: query)
        }
        #expect(error?.failureCode == "callback_unknown_flow")
        #expect(fixture.requests(to: "/token") + other.requests(to: "/token") == 0)
        await fixture.server.stop()
        await other.server.stop()
    }

    @Test("Tokens are bound to a key of the session where the settings say so")
    func bound() async throws {
        let fixture = try await server()
        let machine = machine(fixture) { $0.bindsTokens = true }
        let (page, pending) = try await machine.beginSignIn()
        let query = try await signIn(fixture, at: page)
        let account = try await machine.finishSignIn(kept(pending), path: "/callback", query: query)
        #expect(try await machine.sessions.storedCredential(of: account)?.tokenType == "DPoP")
        await fixture.server.stop()
    }

    @Test("Too late, refused, without a query, and without a redirect URI: each has its own error")
    func refused() async throws {
        let fixture = try await server()
        let machine = machine(fixture)
        let pending = try await machine.beginSignIn().pending
        for (query, code) in [
            ("error=access_denied&state=\(pending.state)", "access_denied"), ("", "callback_state_missing"),
        ] {
            let error = await #expect(throws: OAuthError.self) {
                try await machine.finishSignIn(pending, path: "/callback", query: query)
            }
            #expect(error?.failureCode == code)
        }
        fixture.clock.advance(by: .seconds(601))
        let late = await #expect(throws: OAuthError.self) {
            try await machine.finishSignIn(pending, path: "/callback", query: "code=c&state=\(pending.state)")
        }
        #expect(late?.failureCode == "callback_flow_expired")
        let app = URL(string: "com.example.app:/callback")
        for nowhere in [
            self.machine(fixture) { $0.redirectURI = nil }, self.machine(fixture) { $0.redirectURI = app },
            self.machine(fixture) { $0.method = .device },
        ] {
            let error = await #expect(throws: OAuthError.self) { try await nowhere.beginSignIn() }
            #expect(error?.failureCode == "setting_invalid_redirect_uri")
        }
        await fixture.server.stop()
    }

    @Test(
        "A callback at another path than that of the redirect URI is that of another server",
        .guards("mix-up by redirect URI"), arguments: ["/callback/other", "/", "callback", "/callback?", "/callback#"])
    func otherPath(path: String) async throws {
        let fixture = try await server()
        let machine = machine(fixture)
        let (page, pending) = try await machine.beginSignIn()
        let query = try await signIn(fixture, at: page)
        let error = await #expect(throws: OAuthError.self) {
            try await machine.finishSignIn(pending, path: path, query: query)
        }
        #expect(["callback_redirect_mismatch", "callback_malformed"].contains(error?.failureCode))
        #expect(fixture.requests(to: "/token") == 0)
        #expect(try await machine.finishSignIn(pending, path: "/callback", query: query) == fixture.account)
        await fixture.server.stop()
    }

    @Test("The sign-out of one person forgets no other's callback, and after one's own a copy signs nobody in")
    func signedOut() async throws {
        let fixture = try await server()
        let machine = machine(fixture)
        let (page, pending) = try await machine.beginSignIn()
        let query = try await signIn(fixture, at: page)
        let account = try await machine.finishSignIn(pending, path: "/callback", query: query)
        try await machine.signOut(AccountID(account: "grace", realm: "work"))
        #expect(try await machine.finishSignIn(pending, path: "/callback", query: query) == account)
        #expect(fixture.requests(to: "/token") == 1)
        try await self.machine(fixture).signOut(account)
        for _ in 0..<2 {
            let error = await #expect(throws: OAuthError.self) {
                try await machine.finishSignIn(pending, path: "/callback", query: query)
            }
            #expect(error?.failureCode == "callback_signed_out")
            // Nor does it after the next sign-in.
            let (page, next) = try await machine.beginSignIn()
            let query = try await signIn(fixture, at: page)
            #expect(try await machine.finishSignIn(next, path: "/callback", query: query) == account)
        }
        await fixture.server.stop()
    }

    @Test("A server that posts its response may have a query in the redirect URI")
    func form() async throws {
        let fixture = try await OpenIDFixture {
            $0.clients[0].redirectURIs = ["https://app.example.com/callback?tenant=1"]
        }
        let machine = machine(fixture) {
            $0.redirectURI = URL(string: "https://app.example.com/callback?tenant=1")
            $0.responseMode = .formPost
        }
        let (page, pending) = try await machine.beginSignIn()
        let form = try #require(try await fixture.login.visit(page).form)
        let body = FormEncoding.encode(form.map { FormField($0.name, $0.value) })
        #expect(try await machine.finishSignIn(kept(pending), path: "/callback", query: body) == fixture.account)
        await fixture.server.stop()
    }
}
