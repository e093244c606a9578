import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

/// Every block of the documentation's page that is not a view, compiled as it is written there and run.
@Suite struct PageTests {
    private func run(
        _ adjust: (inout LocalInsForgeServer.Configuration) -> Void = { _ in },
        _ body: (PageApp, InsForgeFixture, OpenedPages) async throws -> Void
    ) async throws {
        try await InsForgeFixture.run(adjust) { fixture in
            let pages = OpenedPages()
            var options = InsForgeClientOptions(
                auth: .init(storage: SharedAuthStorage(fixture.store), openURL: pages.open),
                global: .init(allowsLoopbackHTTP: true, logDestination: .none))
            options.time = fixture.clock.dates
            try await body(
                PageApp(baseURL: fixture.server.url, anonKey: fixture.server.anonKey, options: options), fixture, pages)
        }
    }

    @Test("Installation and logging: clients, levels, destinations")
    func installation() throws {
        let address = try #require(URL(string: "https://your-app.insforge.app"))
        #expect(PageApp.clients(at: address).map(\.baseURL) == [address, address])
        #expect(PageApp.levels == PageApp.levels.sorted())
        #expect(PageApp.destinations.count == 3)
    }

    @Test("signUp() without verification signs in")
    func signUp() async throws {
        try await run { app, _, _ in
            await app.greet(afterSigningUp: "john@example.org")
            #expect(app.message == "Welcome, John Doe!")
            await app.handleSignUp(email: "jane@example.org", password: "secure_password123", name: nil)
            #expect(app.screen == "dashboard")
            await app.handleSignUp(email: "jane@example.org", password: "secure_password123", name: nil)
            #expect(app.message == "An account with this e-mail address exists. Sign in instead.")
        }
    }

    @Test("signUp() with verification: the code, a wrong code, another code")
    func verification() async throws {
        try await run({ $0.requireEmailVerification = true }) { app, fixture, _ in
            await app.handleSignUp(email: "jane@example.org", password: "secure_password123", name: "Jane")
            #expect(app.screen == "verification of jane@example.org")
            await app.handleVerifyEmail(email: "jane@example.org", code: "no code")
            #expect(app.message == "Invalid verification code")
            await app.handleResendCode(email: "jane@example.org")
            #expect(app.message == "Verification code sent to jane@example.org")
            await app.handleResendCode(email: "jane@example.org")
            #expect(app.message == "Failed to resend verification code")
            await app.handleVerifyEmail(email: "jane@example.org", code: fixture.mailedCode)
            #expect(app.screen == "sign-in")
            await app.welcomeBack(email: "jane@example.org", password: "secure_password123")
            #expect(app.message == "Welcome back, Jane")
        }
    }

    @Test("signIn(), getSession(), getCurrentUser(), setProfile(), signOut()")
    func session() async throws {
        try await run { app, fixture, _ in
            let user = fixture.server.user
            app.showSession()
            #expect(app.message == "No session")
            await app.showUser()
            #expect(app.message == "No user signed in")
            await app.welcomeBack(email: user.email, password: user.password)
            #expect(app.message == "Welcome back, \(user.name)")
            app.showSession()
            #expect(app.message.hasPrefix("\(user.email) has a token of "))
            try await app.describeYourself()
            #expect(app.message == "Profile updated: JohnDev")
            await app.showUser()
            #expect(app.message == "Email: \(user.email), name: JohnDev")
            await app.leave()
            #expect(app.message == "User signed out")
            app.showSession()
            #expect(app.message == "No session")
        }
    }

    @Test("signInWithDefaultView() on a server that has the page")
    func defaultView() async throws {
        try await run({ $0.legacy.servesHostedPage = true }) { app, fixture, _ in
            let callback = try await fixture.visit(app.signInPage())
            await app.onOpenURL(callback)
            #expect(app.message == "Authenticated: \(fixture.server.user.email)")
            app.showSession()
            #expect(app.message.hasPrefix(fixture.server.user.email))
        }
    }

    @Test("signInWithOAuthView() opens the provider's page, and handleAuthCallback() ends it")
    func oauthView() async throws {
        try await run { app, fixture, pages in
            await app.continueWith(.google)
            #expect(app.message.isEmpty)
            await app.onOpenURL(try await fixture.visit(try #require(pages.all.first)))
            #expect(app.message == "Authenticated: \(fixture.server.user.email)")
            await app.continueWith(.tiktok)
            #expect(app.message == "OAuth provider 'tiktok' is not implemented yet.")
        }
        #expect(PageApp.providers == OAuthProvider.allCases)
    }

    @Test("Error handling: each case of the page is thrown directly")
    func errors() async throws {
        try await run { app, fixture, _ in
            let user = fixture.server.user
            try await app.explainFailure(email: user.email, password: "wrong")
            #expect(app.message == "Invalid email or password")
            try await app.explainFailure(email: "nobody@example.org", password: "wrong")
            #expect(app.message == "Invalid email or password")
            try await app.explainFailure(email: "nonsense", password: "wrong")
            #expect(app.message == "Auth error: email: Invalid email format")
            fixture.server.reconfigure { $0.requireEmailVerification = true }
            await app.handleSignUp(email: "jane@example.org", password: "secure_password123", name: nil)
            try await app.explainFailure(email: "jane@example.org", password: "secure_password123")
            #expect(app.message == "Please verify your email")
            await fixture.server.stop()
            try await app.explainFailure(email: user.email, password: user.password)
            #expect(app.message.hasPrefix("Network error: connectionRefused"))
        }
    }
}
