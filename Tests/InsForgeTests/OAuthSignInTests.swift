import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct OAuthSignInTests {
    private var browser: ScriptedBrowser {
        ScriptedBrowser { try await ScriptedLogin().signIn(at: $0) }
    }

    @Test("The OAuth view signs in with the code and this flow's verifier")
    func signsIn() async throws {
        let fixture = try await InsForgeFixture()
        let provider = try fixture.provider(method: .oauth(.google), browser: browser)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        #expect(fixture.server.counters.exchanges == 1)
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        await fixture.server.stop()
    }

    @Test("Two flows at once do not spend each other's verifier")
    func concurrentFlows() async throws {
        let fixture = try await InsForgeFixture()
        let provider = try fixture.provider(method: .oauth(.google), browser: browser)
        async let first = provider.signIn(with: .google)
        async let second = provider.signIn(with: .github)
        _ = try await (first, second)
        #expect(fixture.server.counters.exchanges == 2)
        await fixture.server.stop()
    }

    @Test("A code of somebody else's flow is refused by the server and becomes no session", .guards("code injection"))
    func injectedCode() async throws {
        let fixture = try await InsForgeFixture { $0.allowedRedirectURLs = ["example://callback"] }
        let stolenCode = ScriptedBrowser { _ in
            // The attacker's own flow: its code is bound to a challenge the victim's verifier does not match.
            let start = try #require(
                URL(
                    string: fixture.server.url.absoluteString + "/api/auth/oauth/google?redirect_uri=example%3A%2F%2F"
                        + "callback&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"))
            let (data, _) = try await DefaultTransport.make().data(for: URLRequest(url: start))
            let page = try #require(JSONValue(parsing: data)["authUrl"]?.stringValue.flatMap(URL.init(string:)))
            return try await ScriptedLogin().signIn(at: page)
        }
        let provider = try fixture.provider(method: .oauth(.google), browser: stolenCode)
        let error = await #expect(throws: InsForgeAuthError.self) { try await provider.signIn(with: .google) }
        #expect(error?.failureCode == "invalid_callback" && error?.message.contains("PKCE") == false)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("A refusal of the provider is told in its words")
    func denied() async throws {
        let fixture = try await InsForgeFixture { $0.allowedRedirectURLs = ["example://callback"] }
        let denied = ScriptedBrowser { _ in
            try #require(URL(string: "example://callback?error=No+authorization+code+or+token+provided"))
        }
        await #expect(throws: InsForgeAuthError.oauth("No authorization code or token provided")) {
            try await fixture.provider(method: .oauth(.google), browser: denied).signIn(with: .google)
        }
        await fixture.server.stop()
    }

    @Test("A provider the project does not have is a missing setting")
    func notConfigured() async throws {
        let fixture = try await InsForgeFixture()
        let provider = try fixture.provider(method: .oauth(.discord), browser: browser)
        let error = await #expect(throws: InsForgeAuthError.self) { try await provider.signIn(with: .discord) }
        #expect(error?.failureCode == "not_configured")
        #expect(error?.failureClass == .unavailable)
        await fixture.server.stop()
    }

    @Test(
        "A sign-in page without TLS on another machine is not opened",
        arguments: ["http://accounts.example.com/o", "ftp://accounts.example.com/o", "javascript:alert(1)", ""])
    func insecurePage(page: String) async throws {
        let fixture = try await InsForgeFixture()
        fixture.server.http.fail(.answer(.json(["authUrl": .string(page)])), pathPrefix: "/api/auth/oauth/google")
        let opened = Locked(0)
        let browser = ScriptedBrowser { _ in
            opened.withLock { $0 += 1 }
            throw CancellationError()
        }
        await #expect(throws: InsForgeAuthError.self) {
            try await fixture.provider(method: .oauth(.google), browser: browser).signIn(with: .google)
        }
        #expect(opened.withLock { $0 } == 0)
        await fixture.server.stop()
    }

    @Test("A text in a callback is shown as one short line without tokens, because any website can write it")
    func callbackText() async throws {
        let fixture = try await InsForgeFixture { $0.allowedRedirectURLs = ["example://callback"] }
        let token = String(repeating: "t0", count: 30)
        let denied = ScriptedBrowser { _ in
            try #require(
                URL(
                    string: "example://callback?error=Bad%0Atoken%1B%5B31m+\(token)+"
                        + String(repeating: "a+", count: 300)))
        }
        let error = await #expect(throws: InsForgeAuthError.self) {
            try await fixture.provider(method: .oauth(.google), browser: denied).signIn(with: .google)
        }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("The sign-in was not completed: Bad token [31m ... a a a"))
        #expect(message.count < 250)
        await fixture.server.stop()
    }

    @Test("A forged answer does not belong to the sign-in that waits, where the server keeps a state")
    func forgedAnswer() async throws {
        let fixture = try await InsForgeFixture()
        for answer in ["insforge_code=\(String(repeating: "0a", count: 32))", "error=Nothing+happened"] {
            let forger = ScriptedBrowser { _ in try #require(URL(string: "example://callback?" + answer)) }
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await fixture.provider(method: .oauth(.google), browser: forger).signIn(with: .google)
            }
            #expect(error?.failureCode == "invalid_callback")
        }
        #expect(fixture.requests(to: "/api/auth/oauth/exchange") == 0)
        await fixture.server.stop()
    }

    @Test("A project that allows the exact address alone signs in without a state")
    func exactAddress() async throws {
        let fixture = try await InsForgeFixture { $0.allowedRedirectURLs = ["example://callback"] }
        let provider = try fixture.provider(method: .oauth(.google), browser: browser)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        await fixture.server.stop()
    }

    @Test("A server of the past that answers with tokens is refused")
    func legacyTokens() async throws {
        let fixture = try await InsForgeFixture { $0.legacy.callbackCarriesTokens = true }
        let provider = try fixture.provider(method: .oauth(.google), browser: browser)
        let error = await #expect(throws: InsForgeAuthError.self) { try await provider.signIn(with: .google) }
        #expect(error?.failureCode == "invalid_callback")
        await fixture.server.stop()
    }
}
