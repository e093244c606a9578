import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@Suite struct StepUpTests {
    private static let grace = LocalOpenIDConnectServer.User(id: "2", username: "grace", password: "Hopper-1")

    @Test(
        "Scopes a session lacks are asked for beside those it has, and consent is given for them alone",
        .guards("least privilege"))
    func incrementalConsent() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn { $0.scopes = ["openid", "offline_access"] }
        await #expect(throws: SessionError.insufficientScope(fixture.account, missing: ["read"])) {
            try await provider.accessToken(for: fixture.account, scopes: ["read"])
        }
        #expect(
            try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d") == nil)
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read", "offline_access"])
        // The browser's session was used again: no password was typed.
        #expect(fixture.server.counters.signIns == 1)

        let before = fixture.server.http.log.count
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        #expect(fixture.server.http.log.count == before)
        await fixture.server.stop()
    }

    @Test("What was granted before is asked for again, so that a second step up loses nothing of the first")
    func twice() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn { $0.scopes = ["openid"] }
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["write"], deviceToken: "d")
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid", "read", "write"])
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid", "read", "write"])
        await fixture.server.stop()
    }

    @Test("Scopes that are not granted are missing afterwards, and the session stays", .guards("least privilege"))
    func notGranted() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn { $0.scopes = ["openid"] }
        fixture.server.vary(.narrowedScope)
        await #expect(throws: SessionError.insufficientScope(fixture.account, missing: ["read"])) {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        await fixture.server.stop()
    }

    @Test("A person who refuses keeps the session as it was")
    func refused() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn { $0.scopes = ["openid"] }
        let refusing = ScriptedLogin(
            username: fixture.server.user.username, password: fixture.server.user.password, allows: false)
        let provider = fixture.provider(browser: ScriptedBrowser { try await refusing.signIn(at: $0) }) {
            $0.scopes = ["openid"]
        }
        let error = await #expect(throws: OAuthError.self) {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        #expect(error?.failureCode == "access_denied")
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        await fixture.server.stop()
    }

    @Test("Another person who signs in meanwhile is not taken for the account, and does not replace it")
    func anotherPerson() async throws {
        let fixture = try await OpenIDFixture { $0.users.append(Self.grace) }
        _ = try await fixture.signedIn { $0.scopes = ["openid"] }
        let other = ScriptedLogin(username: Self.grace.username, password: Self.grace.password)
        let provider = fixture.provider(browser: ScriptedBrowser { try await other.signIn(at: $0) }) {
            $0.scopes = ["openid"]
        }
        fixture.clock.advance(by: .seconds(1))
        let error = await #expect(throws: OAuthError.self) {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        #expect(error?.failureCode == "id_token_sub_mismatch")
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == fixture.account)
        await fixture.server.stop()
    }

    @Test("A step up that was interrupted is finished for the same person only")
    func interrupted() async throws {
        let fixture = try await OpenIDFixture { $0.users.append(Self.grace) }
        _ = try await fixture.signedIn { $0.scopes = ["openid"] }
        let interrupted = fixture.provider(browser: ScriptedBrowser { throw StoppedAt(page: $0) }) {
            $0.scopes = ["openid"]
        }
        let stop = await #expect(throws: StoppedAt.self) {
            try await interrupted.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        let page = try #require(stop?.page)
        let callback = try await ScriptedLogin(username: Self.grace.username, password: Self.grace.password).signIn(
            at: page)
        let error = await #expect(throws: OAuthError.self) { try await fixture.provider().finishSignIn(callback) }
        #expect(error?.failureCode == "id_token_sub_mismatch")
        await fixture.server.stop()
    }

    @Test("Without a browser the missing scopes are named")
    func noBrowser() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn { $0.scopes = ["openid"] }
        let provider = fixture.provider { settings in
            settings.scopes = ["openid"]
            settings.redirectURI = nil
        }
        await #expect(throws: SessionError.insufficientScope(fixture.account, missing: ["read"])) {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        await fixture.server.stop()
    }

    @Test("A step up whose response has no refresh token keeps the old one")
    func keepsRefreshToken() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.server.vary(.noFirstRefreshToken)
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read"])
        for refreshes in 1...2 {
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
            #expect(fixture.server.counters.refreshes == refreshes)
        }
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("It keeps the one there is when the response comes, not the one there was when the browser opened")
    func refreshedMeanwhile() async throws {
        let fixture = try await OpenIDFixture()
        let other = try await fixture.signedIn()
        let provider = fixture.provider(
            browser: ScriptedBrowser { page in
                let token = try await other.accessToken(for: fixture.account, scopes: [])
                _ = try await other.accessToken(
                    for: fixture.account, scopes: [], resource: nil, freshness: .other(than: token))
                return try await fixture.login.signIn(at: page)
            })
        fixture.server.vary(.noFirstRefreshToken)
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 2)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("It keeps the one of a refresh whose response comes after its own")
    func refreshedAfterwards() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        let token = try await provider.accessToken(for: fixture.account, scopes: [])
        fixture.server.vary(.noFirstRefreshToken)
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        let refresh = Task {
            try await provider.accessToken(
                for: fixture.account, scopes: [], resource: nil, freshness: .other(than: token))
        }
        await gate.waitForAnswer()
        _ = try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        gate.open()
        #expect(try await refresh.value != token)
        _ = try await provider.accessToken(for: fixture.account, scopes: ["read"])
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 2 && fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("A sign-out during the exchange of its code lasts, and the step up leaves no tokens")
    func signedOutMeanwhile() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        let stepUp = Task {
            try await provider.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        await gate.waitForAnswer()
        try await provider.signOut(fixture.account)
        let revoked = fixture.server.counters.familiesRevoked
        gate.open()
        await #expect(throws: SessionError.notSignedIn(fixture.account)) { try await stepUp.value }
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        #expect(fixture.server.counters.familiesRevoked == revoked + 1)
        await fixture.server.stop()
    }

    @Test("One that an app restart interrupted keeps it too")
    func interruptedKeepsRefreshToken() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        let interrupted = fixture.provider(browser: ScriptedBrowser { throw StoppedAt(page: $0) })
        let stop = await #expect(throws: StoppedAt.self) {
            try await interrupted.requestAuthorization(for: fixture.account, scopes: ["read"], deviceToken: "d")
        }
        fixture.server.vary(.noFirstRefreshToken)
        let callback = try await fixture.login.signIn(at: #require(stop?.page))
        let provider = fixture.provider()
        try await provider.finishSignIn(callback)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }
}
