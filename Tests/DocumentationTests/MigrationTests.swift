import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// What the articles on migrating promise: a session that another library began goes on here.
@Suite struct MigrationTests {
    @Test("AppAuth's session is refreshed with its refresh token, and nobody signs in")
    func fromAppAuth() async throws {
        let clock = ManualClock()
        let server = try await LocalOpenIDConnectServer.start(clock: clock)
        let settings = OpenIDConnectSettings(
            issuer: server.issuer, clientID: server.client.id, redirectURI: URL(string: "com.example.app:/callback"),
            transportSecurity: .loopbackHTTPAllowed)
        let login = ScriptedLogin(username: server.user.username, password: server.user.password)
        let old = OAuthSessionProvider(
            settings.server,
            context: ProviderContext(
                name: "old",
                environment: IdentityEnvironment(
                    store: MemoryTokenStore(), webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) },
                    time: clock.dates)))
        let before = try #require(await old.signIn(scopes: [], deviceToken: "d"))
        let tokens = try await old.sessions.credential(for: before, scopes: [])
        let new = OAuthSessionProvider(
            settings.server,
            context: ProviderContext(
                name: "work", environment: IdentityEnvironment(store: MemoryTokenStore(), time: clock.dates)))

        let archive = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try AppAuthArchive.data(
            issuer: server.issuer, clientID: server.client.id, accessToken: tokens.accessToken.reveal(),
            refreshToken: #require(tokens.refreshToken).reveal(), idToken: tokens.idToken?.reveal(),
            scope: tokens.scopes.sorted().joined(separator: " "), expiresAt: clock.now
        ).write(to: archive)
        for _ in 0..<2 { try await importSession(archive, by: new) }
        #expect(!FileManager.default.fileExists(atPath: archive.path))

        let account = try #require(await new.silentAccount(scopes: [], deviceToken: "d").account)
        #expect(account == AccountID(account: before.account, realm: "work"))
        #expect(try await new.accessToken(for: account, scopes: ["openid"]) != tokens.accessToken.reveal())
        #expect(server.counters.signIns == 1 && server.counters.refreshes == 1 && server.counters.replays == 0)
        await server.stop()
    }

    @Test("InsForge's session is refreshed with its refresh token, and nobody signs in")
    func fromInsForge() async throws {
        let server = try await LocalInsForgeServer.start()
        let baseURL = try ServerURL(server.url.absoluteString, allowsLoopbackHTTP: true)
        let settings = InsForgeSettings(baseURL: baseURL, anonKey: server.anonKey)
        func provider(_ name: String, _ prompter: ScriptedPrompter?) -> InsForgeProvider {
            InsForgeProvider(
                settings: settings,
                context: ProviderContext(
                    name: name, environment: IdentityEnvironment(store: MemoryTokenStore(), prompter: prompter)))
        }
        let old = provider(
            "old", ScriptedPrompter(["email": Secret(server.user.email), "password": Secret(server.user.password)]))
        let before = try #require(await old.signIn(scopes: [], deviceToken: "d"))
        let tokens = try await old.sessions.credential(for: before, scopes: [])
        let new = provider("insforge", nil)

        let isRemoved = Locked(false)
        try await importSession(
            userID: before.account, accessToken: tokens.accessToken.reveal(),
            refreshToken: #require(tokens.refreshToken).reveal(), by: new, baseURL: baseURL,
            thenRemove: { isRemoved.withLock { $0 = true } })
        #expect(isRemoved.withLock { $0 })

        let account = try #require(await new.silentAccount(scopes: [], deviceToken: "d").account)
        #expect(account.account == before.account)
        let token = try await new.accessToken(for: account, scopes: [])
        #expect(!token.isEmpty)
        #expect(try await new.sessions.credential(for: account, scopes: []).expiresAt ?? .distantPast > Date())
        await server.stop()
    }
}
