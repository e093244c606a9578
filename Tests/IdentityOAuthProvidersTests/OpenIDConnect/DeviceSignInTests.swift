import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@Suite struct DeviceSignInTests {
    /// What a person does while a device waits.
    private enum Person {
        case allows
        case denies
        case isAway
    }

    /// Signs in on a device whose waiting is what moves the clock.
    /// - Parameters:
    ///   - person: what happens on the other device.
    ///   - waits: after how many of the device's pauses it happens.
    ///   - haste: how much faster the device's timer runs than the clock.
    private func signIn(
        _ fixture: OpenIDFixture, _ person: Person, after waits: Int = 1, haste: Int = 1
    ) async throws -> AccountID? {
        try await provider(fixture, person, after: waits, haste: haste).signIn(scopes: [], deviceToken: "d")
    }

    private func provider(
        _ fixture: OpenIDFixture, _ person: Person, after waits: Int = 1, haste: Int = 1,
        _ configure: (inout OpenIDConnectSettings) -> Void = { _ in }
    ) -> OAuthSessionProvider {
        let shown = Locked<DeviceCode?>(nil)
        let pauses = Locked(0)
        let login = ScriptedLogin(
            username: fixture.server.user.username, password: fixture.server.user.password, allows: person == .allows)
        let time = TimeSource(
            now: { fixture.clock.now },
            sleep: { duration in
                fixture.clock.advance(by: duration / haste)
                let pause = pauses.withLock { count in
                    count += 1
                    return count
                }
                guard person != .isAway, pause == waits, let code = shown.withLock({ $0 }) else { return }
                try await login.decideOnDevice(at: code.verificationURI, userCode: code.userCode)
            })
        let presenter = ShownCode { code in shown.withLock { $0 = code } }
        return fixture.provider(presenter: presenter, time: time) {
            $0.method = .device
            configure(&$0)
        }
    }

    @Test("A code entered on another device becomes a session that refreshes itself (RFC 8628)")
    func wholeSession() async throws {
        let fixture = try await OpenIDFixture()
        #expect(try await signIn(fixture, .allows, after: 3) == fixture.account)
        #expect(fixture.requests(to: "/token") == 3)
        #expect(fixture.server.counters.slowDowns == 0)
        let provider = fixture.provider { $0.method = .device }
        #expect(try await provider.userInfo(for: fixture.account).claims["email"] == "ada@example.org")
        fixture.clock.advance(by: .seconds(3600))
        let token = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        #expect(try await fixture.resourceStatus(token: token) == 200)
        try await provider.signOut(fixture.account)
        #expect(try await fixture.resourceStatus(token: token) == 401)
        await fixture.server.stop()
    }

    @Test("A client that a device registered refreshes its session also where the browser is configured")
    func registeredOnDevice() async throws {
        let fixture = try await OpenIDFixture { $0.allowsRegistration = true }
        _ = try await provider(fixture, .allows) { $0.register() }.signIn(scopes: [], deviceToken: "d")
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.provider { $0.register() }.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.server.counters.registrations == 1)
        await fixture.server.stop()
    }

    @Test("Times that a server writes as texts are as good (RFC 8628 section 3.2)")
    func timesAsText() async throws {
        let fixture = try await OpenIDFixture { $0.deviceInterval = .seconds(7) }
        fixture.server.vary(.deviceTimesAsText)
        #expect(try await signIn(fixture, .allows, after: 3) == fixture.account)
        #expect(fixture.server.counters.slowDowns == 0)
        await fixture.server.stop()
    }

    @Test("A device asks for what the settings add, and for no prompt")
    func extraParameters() async throws {
        let fixture = try await OpenIDFixture()
        let recorder = FormRecorder()
        let presenter = ShownCode { code in
            _ = code
            fixture.clock.advance(by: .seconds(3600))
        }
        let provider = fixture.provider(presenter: presenter, transport: recorder) { settings in
            settings.method = .device
            settings.authorizationParameters = ["audience": "https://api.example"]
        }
        await #expect(throws: OAuthError.self) { try await provider.signIn(scopes: [], deviceToken: "d") }
        let fields = await recorder.fields(to: "/device-authorization")
        #expect(fields.contains(FormField("audience", "https://api.example")))
        #expect(!fields.contains { $0.name == "prompt" })
        await fixture.server.stop()
    }

    @Test("A device that asks too fast slows down and still gets its tokens (RFC 8628 section 3.5)")
    func slowDown() async throws {
        let fixture = try await OpenIDFixture()
        #expect(try await signIn(fixture, .allows, after: 4, haste: 2) == fixture.account)
        #expect(fixture.server.counters.slowDowns > 0)
        await fixture.server.stop()
    }

    @Test("A denial ends the waiting at once (RFC 8628 section 3.5)")
    func denied() async throws {
        let fixture = try await OpenIDFixture()
        let error = await #expect(throws: OAuthError.self) { try await signIn(fixture, .denies, after: 2) }
        #expect(error?.failureCode == "access_denied")
        #expect(fixture.requests(to: "/token") == 2)
        await fixture.server.stop()
    }

    @Test("A code that is not entered expires (RFC 8628 section 3.5)")
    func expires() async throws {
        let fixture = try await OpenIDFixture { $0.deviceCodeLifetime = .seconds(60) }
        let error = await #expect(throws: OAuthError.self) { try await signIn(fixture, .isAway) }
        #expect(error?.failureCode == "expired_token")
        #expect(fixture.requests(to: "/token") == 11)
        await fixture.server.stop()
    }

    @Test("A server in trouble is asked again, more rarely (RFC 8628 section 3.5)")
    func trouble() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/token", times: 2)
        #expect(try await signIn(fixture, .allows) == fixture.account)
        await fixture.server.stop()
    }

    @Test(
        "However long the person took, a server's wrong clock does no harm to the ID token's dates",
        arguments: [LocalOpenIDConnectServer.Variation.clockAhead, .clockBehind])
    func wrongClock(variation: LocalOpenIDConnectServer.Variation) async throws {
        let fixture = try await OpenIDFixture { $0.idTokenLifetime = .seconds(120) }
        fixture.server.vary(variation)
        #expect(try await signIn(fixture, .allows, after: 110) == fixture.account)
        await fixture.server.stop()
    }

    @Test("A server that gives a device no ID token is asked who signed in (RFC 8628 section 3.5)")
    func noIDToken() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.misbehave(.missingIDToken)
        #expect(try await signIn(fixture, .allows) == fixture.account)
        #expect(fixture.requests(to: "/userinfo") == 1)
        let profile = try await fixture.provider().sessions.storedCredential(of: fixture.account)?.profile
        #expect(profile?.label == "Ada Lovelace")
        await fixture.server.stop()
    }

    @Test(
        "The person on the other device must be the one who steps up, by ID token or user info",
        arguments: [(true, "id_token_sub_mismatch"), (false, "userinfo_sub_mismatch")])
    func anotherPerson(hasIDToken: Bool, code: String) async throws {
        let fixture = try await OpenIDFixture {
            $0.users.append(.init(id: "2", username: "grace", password: "Hopper-1"))
        }
        let grace = ScriptedLogin(username: "grace", password: "Hopper-1")
        let session = fixture.provider(browser: ScriptedBrowser { try await grace.signIn(at: $0) })
        let account = try #require(try await session.signIn(scopes: [], deviceToken: "d"))
        if !hasIDToken { fixture.server.misbehave(.missingIDToken) }
        let error = await #expect(throws: OAuthError.self) {
            try await provider(fixture, .allows)
                .requestAuthorization(for: account, scopes: ["read"], deviceToken: "d")
        }
        #expect(error?.failureCode == code)
        #expect(try await session.silentAccount(scopes: [], deviceToken: "d").account == account)
        await fixture.server.stop()
    }

    @Test("Without anything to show a code with there is no account, so the next provider is asked")
    func nothingToShow() async throws {
        let fixture = try await OpenIDFixture()
        let provider = fixture.provider { $0.method = .device }
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == nil)
        #expect(fixture.server.http.log.isEmpty)
        await fixture.server.stop()
    }
}
