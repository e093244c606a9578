import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import TestSupport
import Testing

@Suite struct ClientSessionTests {
    @Test("A session survives the client, with its user, and ends everywhere")
    func persistence() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let session = try #require(client.auth.getSession())
            let restarted = fixture.client()
            #expect(restarted.auth.getSession() == session)
            #expect(try await restarted.auth.accessToken() == session.accessToken)
            try await restarted.auth.signOut()
            #expect(client.auth.getSession() == nil)
        }
    }

    @Test("Client and provider share a session: one engine is under both")
    func sharedWithProvider() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let settings = InsForgeSettings(
                baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true))
            let environment = IdentityEnvironment(store: fixture.store, time: fixture.clock.dates)
            let provider = InsForgeProvider(
                settings: settings, context: ProviderContext(name: "insforge", environment: environment))
            let account = try #require(try await provider.silentAccount(scopes: [], deviceToken: "d").account)
            #expect(account.account == fixture.server.user.id)
            fixture.expire()
            let token = try await provider.accessToken(for: account, scopes: [])
            #expect(client.auth.getSession()?.accessToken == token)
            try await provider.signOut(account)
            #expect(client.auth.getSession() == nil)
        }
    }

    @Test("What changes about the user is remembered with the session, and costs no refresh")
    func userChanges() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let before = try #require(client.auth.getSession())
            try await client.auth.setProfile(["name": "New", "bio": "Short"])
            let after = try #require(fixture.client().auth.getSession())
            #expect(after.user.profile?.members == ["name": "New", "bio": "Short"])
            #expect(after.accessToken == before.accessToken)
            // A variable of texts is taken as well as a literal.
            let fields: [String: String] = ["name": "Newer"]
            #expect(try await client.auth.setProfile(fields).name == "Newer")
            fixture.expire()
            _ = try await client.auth.accessToken()
            #expect(client.auth.getSession()?.user.profile?.name == "Newer")
        }
    }

    @Test("Events tell of sign-ins, of news about the user, and of the end")
    func events() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client()
            var events = client.auth.authEvents.makeAsyncIterator()
            let user = fixture.server.user
            try await client.auth.signIn(email: user.email, password: user.password)
            let signedIn = try #require(client.auth.getSession()?.user)
            #expect(await events.next() == .signedIn(signedIn))
            try await client.auth.setProfile(["name": "New"])
            let renamed = try #require(client.auth.getSession()?.user)
            #expect(await events.next() == .userUpdated(renamed))
            try await client.auth.signOut()
            #expect(await events.next() == .signedOut)
            try await client.auth.signIn(email: user.email, password: user.password)
            _ = await events.next()
            fixture.server.deleteUser(id: user.id)
            #expect(try await client.auth.getCurrentUser() == nil)
            #expect(await events.next() == .signedOut)
            #expect(client.auth.getSession() == nil)
        }
    }

    @Test("Without automatic refresh a session ends with its token, unless it is refreshed by hand")
    func manualRefresh() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient { $0.auth.autoRefreshToken = false }
            let first = try await client.auth.accessToken()
            fixture.clock.advance(by: .seconds(800))
            #expect(try await client.auth.refreshAccessToken().accessToken != first)
            fixture.clock.advance(by: .seconds(200))
            _ = try await client.auth.accessToken()
            fixture.expire()
            await #expect(throws: InsForgeAuthError.sessionExpired) { try await client.auth.accessToken() }
            #expect(fixture.server.counters.refreshes == 1)
        }
    }

    @Test("Fifty tasks that need a token cost one refresh")
    func oneRefresh() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            fixture.expire()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await client.auth.accessToken() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(fixture.server.counters.refreshes == 1)
        }
    }

    @Test("Without a session every call throws, and the one for the user returns nil")
    func nobody() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = fixture.client().auth
            #expect(try await auth.getCurrentUser() == nil)
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await auth.accessToken() }
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await auth.refreshAccessToken() }
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await auth.setProfile(["name": "x"]) }
            try await auth.signOut()
            #expect(fixture.server.http.log.isEmpty)
        }
    }

    @Test(
        "An address that cannot be spoken to is told by every call, and blocks nothing",
        arguments: [
            "http://example.org", "http://127.0.0.1:1", "ftp://example.org", "/relative", "https://u:p@example.org",
        ])
    func unusableAddress(text: String) async throws {
        let client = InsForgeClient(
            baseURL: try #require(URL(string: text)), anonKey: "anon",
            options: .init(
                auth: .init(storage: InMemoryAuthStorage()), global: .init(logDestination: .none)))
        #expect(client.auth.getSession() == nil)
        _ = client.auth.signInWithDefaultView(redirectTo: "example://cb")
        let error = await #expect(throws: InsForgeAuthError.self) { try await client.auth.getCurrentUser() }
        #expect(error?.failureCode == "not_configured")
    }

    @Test(
        "A redirect that is no app's address starts nothing", .guards("redirect over TLS"),
        arguments: [
            "", "callback", "/cb", "http://app.example/cb", "javascript:alert(1)", "data:text/html,x", "https://",
            "file:///etc/passwd", "https://user@app.example/cb",
        ])
    func badRedirects(redirect: String) async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client { $0.auth.browser = fixture.person }
            let error = await #expect(throws: InsForgeAuthError.self) {
                try await client.auth.signInWithOAuthView(provider: .google, redirectTo: redirect)
            }
            #expect(error?.failureCode == "invalid_input")
            #expect(fixture.server.http.log.isEmpty)
            let page = client.auth.signInWithDefaultView(redirectTo: redirect)
            #expect(page.query?.contains("code_challenge") == false)
        }
    }

    @Test("Parameters for the provider are handed on, those of the protocol are not")
    func providerParameters() async throws {
        try await InsForgeFixture.run { fixture in
            let pages = OpenedPages()
            let client = fixture.client { $0.auth.openURL = pages.open }
            try await client.auth.signInWithOAuthView(
                providerKey: "mock", redirectTo: "example://cb",
                parameters: [
                    "login_hint": "deny", "client_type": "web", "code_challenge": "x", "response_type": "token",
                ])
            let page = try #require(pages.all.first)
            #expect(page.query?.contains("login_hint=deny") == true)
            #expect(page.query?.contains("client_type") == false && page.query?.contains("token") == false)
            let callback = try await fixture.visit(page)
            await #expect(throws: InsForgeAuthError.oauth("Authentication failed")) {
                try await client.auth.handleAuthCallback(callback)
            }
        }
    }

    @Test("A refused administrator's token has its own error, and ends no session")
    func adminToken() async throws {
        try await InsForgeFixture.run { fixture in
            let client = try await fixture.signedInClient()
            let token = try #require(client.auth.getSession()?.accessToken)
            for refused in ["ik_wrong", "nonsense", token, client.anonKey] {
                let error = await #expect(throws: InsForgeAuthError.self) {
                    try await client.auth.rotateAnonKey(adminToken: Secret(refused))
                }
                #expect(["admin_token_refused", "forbidden"].contains(error?.failureCode), "\(refused.prefix(4))")
                #expect(error?.message.contains("session") == false)
            }
            #expect(client.auth.getSession()?.accessToken == token)
        }
    }

    @Test("A server from before May 2026 says in its own words that an account exists, and that one does not")
    func generalErrorCodes() async throws {
        try await InsForgeFixture.run({ $0.legacy.hasGeneralErrorCodes = true }) { fixture in
            let auth = fixture.client().auth
            await #expect(throws: InsForgeAuthError.userAlreadyExists) {
                try await auth.signUp(email: fixture.server.user.email, password: "horse-battery-9")
            }
            await #expect(throws: InsForgeAuthError.userNotFound) {
                try await auth.getProfile(userId: UUID().uuidString)
            }
        }
    }

    @Test("The anonymous key can be exchanged while the app runs")
    func anonKeys() async throws {
        try await InsForgeFixture.run { fixture in
            let client = fixture.client()
            let old = client.anonKey
            let rotation = try await client.auth.rotateAnonKey(
                adminToken: Secret(fixture.server.apiKey), gracePeriod: .seconds(3600))
            #expect(client.anonKey == rotation.anonKey && rotation.anonKey != old)
            #expect(rotation.oldKeyExpiresAt == fixture.clock.now + 3600)
            _ = try await client.auth.signUp(email: "a@example.org", password: "horse-battery-9")
            let copy = fixture.client(store: MemoryTokenStore(), anonKey: old)
            _ = try await copy.auth.signUp(email: "b@example.org", password: "horse-battery-9")
            fixture.clock.advance(by: .seconds(3600))
            await #expect(throws: InsForgeAuthError.invalidKey) {
                try await copy.auth.signUp(email: "c@example.org", password: "horse-battery-9")
            }
            copy.setAnonKey(rotation.anonKey)
            _ = try await copy.auth.signUp(email: "c@example.org", password: "horse-battery-9")
            await #expect(throws: InsForgeAuthError.self) {
                try await copy.auth.rotateAnonKey(adminToken: Secret(rotation.anonKey))
            }
        }
    }
}
