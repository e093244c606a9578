import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import Testing

/// The official SDK's defects in opening pages, and what it cannot do at all.
@Suite struct BrowserDefectTests {
    @Test(
        "defect D28: whether there is a hosted page can be asked, and where there is one it works",
        arguments: [true, false])
    func d28(hasPage: Bool) async throws {
        try await InsForgeFixture.run({ $0.legacy.servesHostedPage = hasPage }) { fixture in
            let client = fixture.client()
            #expect(try await client.auth.hasDefaultView() == hasPage)
            let page = client.auth.signInWithDefaultView(redirectTo: "example://cb")
            #expect(page.path == "/auth/sign-in")
            guard hasPage else { return }
            let response = try await client.auth.handleAuthCallback(try await fixture.visit(page))
            #expect(response.user.id == fixture.server.user.id)
            #expect(response.refreshToken != nil)
        }
    }

    @Test(
        "defect D28: what something in front of the server answers says nothing about the page",
        arguments: [302, 403])
    func d28Proxy(status: Int) async throws {
        try await InsForgeFixture.run({ $0.legacy.servesHostedPage = true }) { fixture in
            fixture.server.http.fail(.answer(.text("", status: status)), pathPrefix: "/auth/sign-in")
            await #expect(throws: InsForgeAuthError.self) { try await fixture.client().auth.hasDefaultView() }
        }
    }

    @Test("defect D28: the page of a server from before March 2026 hands a token over, where that is allowed")
    func d28Tokens() async throws {
        try await InsForgeFixture.run({
            $0.legacy.servesHostedPage = true
            $0.legacy.callbackCarriesTokens = true
            $0.user.profile = [:]
        }) { fixture in
            let client = fixture.client { $0.auth.allowsTokenCallbacks = true }
            let callback = try await fixture.visit(
                client.auth.signInWithDefaultView(redirectTo: "example://auth/callback"))
            #expect(callback.query?.contains("name=undefined") == true)
            #expect(try await client.auth.handleAuthCallback(callback).user.profile?.name == nil)
        }
    }

    @Test("defect D29: an https address is handed to the browser whole, and its answer may come as an app link")
    func d29() async throws {
        try await InsForgeFixture.run { fixture in
            let asked = Locked<URL?>(nil)
            let person = fixture.person
            let browser = AskedBrowser(asked: asked, base: person)
            let client = fixture.client {
                $0.auth.browser = browser
                $0.auth.addsStateToRedirect = false
            }
            let redirect = "https://app.example.org/auth/callback"
            _ = try await client.auth.signInWithOAuthView(provider: .google, redirectTo: redirect)
            #expect(asked.withLock { $0 }?.absoluteString == redirect)

            let pages = OpenedPages()
            let linked = fixture.client { $0.auth.openURL = pages.open }
            try await linked.auth.signInWithOAuthView(provider: .google, redirectTo: redirect)
            let callback = try await fixture.visit(try #require(pages.all.first))
            #expect(callback.scheme == "https")
            _ = try await linked.auth.handleAuthCallback(callback)
        }
    }

    @Test("defect D30: closing the page, a page that does not open, and a cancelled task are three things")
    func d30() async throws {
        try await InsForgeFixture.run { fixture in
            let closed = fixture.client { $0.auth.browser = ScriptedBrowser { _ in throw CancellationError() } }
            await #expect(throws: InsForgeAuthError.cancelled) {
                try await closed.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            }
            for openURL in [nil, { @Sendable (_: URL) async in false }] {
                let stuck = fixture.client { $0.auth.openURL = openURL }
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await stuck.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
                }
                #expect(error?.failureCode == "not_configured")
            }
            let opened = Signal()
            let waiting = fixture.client {
                $0.auth.browser = ScriptedBrowser { url in
                    opened.fire()
                    try await Task.sleep(for: .seconds(3600))
                    return url
                }
            }
            let task = Task {
                try await waiting.auth.signInWithOAuthView(provider: .google, redirectTo: "example://cb")
            }
            await opened.wait()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            // None of them leaves a flow behind.
            let flows = try await fixture.store.records(in: .pendingFlows).records
            #expect(flows.allSatisfy { $0.content == nil })
        }
    }

    @Test("defect D36: what the server can do can be asked of it: codes, tokens of Apple and Google, configuration")
    func d36() async throws {
        try await InsForgeFixture.run({ $0.oAuthProviders = ["apple", "google"] }) { fixture in
            let auth = fixture.client().auth
            let config = try await auth.getPublicConfig()
            #expect(config.knownOAuthProviders == [.apple, .google])
            #expect(config.customOAuthProviders == ["mock"])
            #expect(!config.requireEmailVerification && !config.disableSignup && config.passwordMinLength == 6)

            try await auth.sendSignInCode(email: "nova@example.org")
            let byCode = try await auth.signIn(email: "nova@example.org", code: fixture.mailedCode, name: "Nova")
            #expect(byCode.user.profile?.name == "Nova" && byCode.user.emailVerified)

            let nonce = try AppleNonce()
            let apple = try fixture.server.nativeIDToken(from: .apple, nonce: nonce.hashed)
            let byApple = try await auth.signIn(with: .apple(token: Secret(apple), nonce: nonce, name: "R."))
            #expect(byApple.user.id == fixture.server.user.id)

            let google = try fixture.server.nativeIDToken(from: .google)
            #expect(try await auth.signIn(with: .google(token: Secret(google))).user.id == fixture.server.user.id)
            #expect(auth.getSession()?.user.providers == ["apple", "google", "email"])

            fixture.server.reconfigure { $0.disableSignup = true }
            let stranger = try fixture.server.nativeIDToken(
                from: .google, for: .init(email: "stranger@example.org", name: "S."))
            await #expect(throws: InsForgeAuthError.signupDisabled) {
                try await auth.signIn(with: .google(token: Secret(stranger)))
            }
            try await auth.signOut()
            #expect(fixture.requests(to: "/api/auth/logout") == 1)
        }
    }
}

/// A browser that remembers where it should come back to.
private struct AskedBrowser: WebAuthenticator {
    let asked: Locked<URL?>
    let base: ScriptedBrowser

    func authenticate(_ request: WebAuthenticationRequest) async throws -> URL {
        asked.withLock { $0 = request.redirectURI }
        return try await base.authenticate(request)
    }
}
