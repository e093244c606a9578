import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import IdentityOAuth
import Testing
import ThunderID

@Suite struct RedirectSignInTests {
    @Test("The browser's code becomes a session, with PKCE")
    func signsIn() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try fixture.provider(method: .redirect, browser: fixture.browser)
        #expect(try await provider.activeAccount(scopes: [], deviceToken: "d") == fixture.account)
        let token = try await provider.accessToken(for: fixture.account, scopes: ["openid", "profile"])
        #expect(try await fixture.status(of: "oauth2/userinfo", token: token) == 200)
        await fixture.server.stop()
    }

    @Test("A request is pushed where the settings do not forbid it, and a refused one goes once as a plain one")
    func pushed() async throws {
        let fixture = try await ThunderIDFixture()
        for method in [ThunderIDSettings.SignInMethod.redirect, .native] {
            for (setting, refused, pushes) in [
                (nil, false, 1), (false, false, 0), (true, false, 1), (nil, true, 1), (true, true, 1),
            ] as [(Bool?, Bool, Int)] {
                let before = fixture.requests(to: "/oauth2/par")
                let refusal = LocalResponse.json(["error": "invalid_client"], status: 401)
                if refused { fixture.server.http.fail(.answer(refusal), pathPrefix: "/oauth2/par") }
                let provider = try fixture.provider(
                    method: method, prompter: ScriptedPrompter(fixture.credentials), browser: fixture.browser,
                    pushed: setting, store: MemoryTokenStore())
                if setting == true && refused {
                    let error = await iamError { try await provider.signIn(scopes: [], deviceToken: "d") }
                    #expect(error?.message.contains("pushesAuthorizationRequests is true") == true)
                } else {
                    #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
                }
                #expect(fixture.requests(to: "/oauth2/par") == before + pushes)
            }
        }
        await fixture.server.stop()
    }

    @Test("An issuer other than the base URL is the server's right")
    func otherIssuer() async throws {
        let fixture = try await ThunderIDFixture(configuration: .init(issuer: "https://id.example.com/"))
        let provider = try fixture.provider(method: .redirect, browser: fixture.browser)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        await fixture.server.stop()
    }

    @Test(
        "A callback that is not the response to this sign-in is refused",
        arguments: [
            "other://callback?code=c&state=STATE&iss=ISSUER", "com.example.app://evil?code=c&state=STATE&iss=ISSUER",
            "com.example.app://callback?code=c&state=forged&iss=ISSUER", "com.example.app://callback?code=c&iss=ISSUER",
            "com.example.app://callback?code=c&state=STATE&iss=https%3A%2F%2Fevil.example",
            "com.example.app://callback?code=c&state=STATE", "com.example.app://callback?state=STATE&iss=ISSUER",
            "com.example.app://callback?code=c&code=d&state=STATE&iss=ISSUER",
            "com.example.app://callback#code=c&state=STATE&iss=ISSUER",
        ])
    func forgedCallbacks(template: String) async throws {
        let fixture = try await ThunderIDFixture()
        let browser = ScriptedBrowser { page in
            let state = try #require(CallbackURL(page)["state"])
            let issuer = FormEncoding.encode(fixture.server.issuer)
            let text = template.replacingOccurrences(of: "STATE", with: state)
                .replacingOccurrences(of: "ISSUER", with: issuer)
            return try #require(URL(string: text))
        }
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(method: .redirect, browser: browser, pushed: false)
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .invalidGrant)
        #expect(fixture.requests(to: "/oauth2/token") == 0)
        await fixture.server.stop()
    }

    @Test("An error of the authorization response is thrown")
    func refusedAuthorization() async throws {
        let fixture = try await ThunderIDFixture()
        let browser = ScriptedBrowser { page in
            let state = try #require(CallbackURL(page)["state"])
            let issuer = FormEncoding.encode(fixture.server.issuer)
            return try #require(
                URL(string: "com.example.app://callback?error=access_denied&state=\(state)&iss=\(issuer)"))
        }
        let error = await #expect(throws: IAMError.self) {
            try await fixture.provider(method: .redirect, browser: browser, pushed: false)
                .signIn(scopes: [], deviceToken: "d")
        }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.serverCode == "access_denied")
        await fixture.server.stop()
    }

    @Test("A redirect URI the server does not know is named")
    func unknownRedirect() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try fixture.provider(
            redirectURI: "com.example.app://other", prompter: ScriptedPrompter(fixture.credentials))
        let error = await #expect(throws: IAMError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.code == .invalidRedirectUri)
        #expect(error?.message.contains("com.example.app://other") == true)
        await fixture.server.stop()
    }

    @Test("A redirect to a page that says nothing, as during maintenance, refuses nothing")
    func maintenance() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try fixture.provider(prompter: ScriptedPrompter(fixture.credentials))
        let page = LocalResponse.redirect(to: fixture.server.url.absoluteString + "/maintenance")
        fixture.server.http.fail(.answer(page), pathPrefix: "/oauth2/authorize")
        let error = await #expect(throws: IAMError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        #expect(error?.code == .serverError)
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        await fixture.server.stop()
    }

    @Test("Scopes a session lacks are asked for with a new sign-in")
    func stepUp() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try fixture.provider(method: .redirect, scopes: ["openid"], browser: fixture.browser)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        await #expect(throws: SessionError.insufficientScope(fixture.account, missing: ["email"])) {
            try await provider.accessToken(for: fixture.account, scopes: ["email"])
        }
        #expect(
            try await provider.requestAuthorization(for: fixture.account, scopes: ["email"], deviceToken: "d") == nil)
        _ = try await provider.accessToken(for: fixture.account, scopes: ["email"])
        await fixture.server.stop()
    }
}
