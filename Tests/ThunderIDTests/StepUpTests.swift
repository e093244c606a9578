import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing
import ThunderID

@Suite struct StepUpTests {
    private static let grace = LocalThunderIDServer.User(
        id: "01900000-0000-7000-8000-0000000000b2", username: "grace", attributes: ["email": "grace@example.org"])

    private func fixture() async throws -> ThunderIDFixture {
        try await ThunderIDFixture(configuration: .init(additionalUsers: [Self.grace]))
    }

    @Test("The same person widens the session", arguments: [ThunderIDSettings.SignInMethod.native, .redirect])
    func widens(method: ThunderIDSettings.SignInMethod) async throws {
        let fixture = try await fixture()
        let provider = try fixture.provider(
            method: method, scopes: ["openid"],
            prompter: ScriptedPrompter(fixture.credentials, fixture.credentials), browser: fixture.browser)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        #expect(
            try await provider.requestAuthorization(for: fixture.account, scopes: ["email"], deviceToken: "d") == nil)
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid", "email"])
        await fixture.server.stop()
    }

    @Test(
        "Another person who signs in changes nothing: no session of theirs is left, here or at the server",
        arguments: [ThunderIDSettings.SignInMethod.native, .redirect])
    func anotherPerson(method: ThunderIDSettings.SignInMethod) async throws {
        let fixture = try await fixture()
        let first = try fixture.provider(scopes: ["openid"], prompter: ScriptedPrompter(fixture.credentials))
        _ = try await first.signIn(scopes: [], deviceToken: "d")
        let gate = ScriptedLogin(username: "grace", password: Self.grace.password)
        let provider = try fixture.provider(
            method: method, scopes: ["openid"],
            prompter: ScriptedPrompter(["username": "grace", "password": Self.grace.password]),
            browser: ScriptedBrowser { try await gate.signIn(at: $0) })
        let error = await #expect(throws: IAMError.self) {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["email"], deviceToken: "d")
        }
        #expect(error?.code == .authenticationFailed)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == fixture.account)
        let records = try await fixture.store.records(in: .accounts).records
        #expect(records.map(\.key) == [.account(fixture.account)])
        #expect(fixture.server.counters.familiesRevoked == 1)
        await fixture.server.stop()
    }

    @Test("A step-up whose response has no refresh token leaves the session refreshable, until its old end")
    func keepsRefreshToken() async throws {
        let fixture = try await fixture()
        let wire = EditedWire()
        let provider = try fixture.provider(
            scopes: ["openid"], prompter: ScriptedPrompter(fixture.credentials, fixture.credentials), transport: wire)
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        let before = try #require(try await fixture.stored())
        fixture.clock.advance(by: .seconds(60))
        wire.removes("refresh_token")
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["email"], deviceToken: "d")
        wire.removes(nil)
        let after = try #require(try await fixture.stored())
        #expect(after.refreshToken == before.refreshToken && after.refreshToken != nil)
        #expect(after.accessToken != before.accessToken && after.scopes.contains("email"))
        #expect(after.sessionEndsAt == before.sessionEndsAt && after.sessionEndsAt != nil)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test("A sign-out while the tokens are on their way lasts, and those tokens are revoked")
    func signedOutMeanwhile() async throws {
        let fixture = try await fixture()
        let provider = try fixture.provider(
            scopes: ["openid"], prompter: ScriptedPrompter(fixture.credentials, fixture.credentials))
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/oauth2/token")
        let stepUp = Task {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["email"], deviceToken: "d")
        }
        await gate.waitForAnswer()
        try await provider.signOut(fixture.account)
        gate.open()
        await #expect(throws: SessionError.notSignedIn(fixture.account)) { try await stepUp.value }
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        #expect(fixture.server.counters.familiesRevoked == 2)
        await fixture.server.stop()
    }

    @Test("Without a prompter the session stays, and the error says what is missing")
    func nobody() async throws {
        let fixture = try await fixture()
        _ = try await fixture.provider(scopes: ["openid"], prompter: ScriptedPrompter(fixture.credentials))
            .signIn(scopes: [], deviceToken: "d")
        let silent = try fixture.provider(scopes: ["openid"])
        await #expect(throws: SessionError.insufficientScope(fixture.account, missing: ["email"])) {
            try await silent.requestAuthorization(for: fixture.account, scopes: ["email"], deviceToken: "d")
        }
        await fixture.server.stop()
    }

    @Test("The end of the session is known in advance")
    func end() async throws {
        let fixture = try await fixture()
        let provider = try await fixture.signedIn()
        #expect(try await provider.sessionEnd(of: fixture.account) == fixture.clock.now + 86_400)
        #expect(try await provider.sessionEnd(of: AccountID(account: "x", realm: "work")) == nil)
        await fixture.server.stop()
    }

    @Test("An unknown redirect URI and an unknown client are told apart by codes, not by words")
    func distrusted() async throws {
        let fixture = try await fixture()
        func failure(_ provider: ThunderIDProvider) async -> IAMError? {
            await iamError { try await provider.signIn(scopes: [], deviceToken: "d") }
        }
        let prompter = ScriptedPrompter(fixture.credentials)
        let redirect = try fixture.provider(redirectURI: "com.example.app://unregistered", prompter: prompter)
        #expect(await failure(redirect)?.code == .invalidRedirectUri)
        let client = try fixture.provider(clientID: "nobody", prompter: prompter)
        let error = await failure(client)
        #expect(error?.code == .invalidConfiguration && error?.message.contains("clientID") == true)
        await fixture.server.stop()
    }
}
