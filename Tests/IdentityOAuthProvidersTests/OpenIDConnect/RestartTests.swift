import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import IdentityTesting
import TestSupport
import Testing

@Suite struct RestartTests {
    @Test(
        "A sign-in survives a restart while the person is in the browser, and its callback is exchanged once",
        .guards("single use"))
    func finishes() async throws {
        let fixture = try await OpenIDFixture()
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())

        let restarted = fixture.provider()
        #expect(try await restarted.finishSignIn(callback) == fixture.account)
        #expect(try await restarted.silentAccount(scopes: [], deviceToken: "d").account == fixture.account)
        #expect(try await restarted.finishSignIn(callback) == fixture.account)
        for provider in [restarted, fixture.provider()] {
            fixture.clock.advance(by: .seconds(61))
            let error = await #expect(throws: OAuthError.self) { try await provider.finishSignIn(callback) }
            #expect(error?.failureCode == "callback_flow_over")
        }
        #expect(fixture.requests(to: "/token") == 1)
        await fixture.server.stop()
    }

    @Test("A copy of a callback is worth nothing once the person has signed out")
    func signedOut() async throws {
        let fixture = try await OpenIDFixture()
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let provider = fixture.provider()
        try await provider.signOut(try await provider.finishSignIn(callback))
        let error = await #expect(throws: OAuthError.self) { try await provider.finishSignIn(callback) }
        #expect(error?.failureCode == "callback_flow_over")
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("An error that is handed in without the state of a sign-in, or by another server, ends none")
    func unconfirmed() async throws {
        let fixture = try await OpenIDFixture()
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let state = try #require(CallbackURL(callback)["state"])
        let provider = fixture.provider()
        for (suffix, code) in [
            ("?error=access_denied", "callback_unconfirmed_error"),
            ("#error=access_denied", "callback_unconfirmed_error"),
            ("?error=access_denied&iss=https%3A%2F%2Fevil.example", "callback_unknown_flow"),
            ("?error=access_denied&state=\(state)&iss=https%3A%2F%2Fevil.example", "callback_unknown_flow"),
            ("?code=c", "callback_unknown_flow"),
        ] {
            let url = try #require(URL(string: OpenIDFixture.redirectURI + suffix))
            let error = await #expect(throws: OAuthError.self) { try await provider.finishSignIn(url) }
            #expect(error?.failureCode == code, "\(suffix)")
            #expect(error?.message.contains("access_denied") == (code == "callback_unconfirmed_error"))
        }
        #expect(try await provider.finishSignIn(callback) == fixture.account)
        let late = try #require(URL(string: OpenIDFixture.redirectURI + "?error=access_denied&late=1"))
        let error = await #expect(throws: OAuthError.self) { try await provider.finishSignIn(late) }
        #expect(error?.failureCode == "callback_unknown_flow")
        await fixture.server.stop()
    }

    @Test("A callback that comes too late is refused")
    func expires() async throws {
        let fixture = try await OpenIDFixture()
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        fixture.clock.advance(by: .seconds(601))
        let error = await #expect(throws: OAuthError.self) { try await fixture.provider().finishSignIn(callback) }
        #expect(error?.failureCode == "callback_flow_expired")
        #expect(fixture.requests(to: "/token") == 0)
        await fixture.server.stop()
    }

    @Test("Of two callbacks at once, one finishes the sign-in for both", .guards("single use"))
    func twice() async throws {
        let fixture = try await OpenIDFixture()
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let provider = fixture.provider()
        func attempt() async -> String {
            do {
                return try await provider.finishSignIn(callback).account
            } catch {
                return (error as? OAuthError)?.failureCode ?? "\(error)"
            }
        }
        async let first = attempt()
        async let second = attempt()
        #expect(await Set([first, second]) == [fixture.account.account])
        #expect(fixture.requests(to: "/token") == 1 && fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("A caller that is cancelled leaves the sign-in to the next copy of its callback")
    func cancelled() async throws {
        let fixture = try await OpenIDFixture()
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let (provider, gate) = (fixture.provider(), AnswerGate())
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/token")
        let first = Task { try await provider.finishSignIn(callback) }
        await gate.waitForAnswer()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await provider.finishSignIn(callback) == fixture.account)
        #expect(fixture.requests(to: "/token") == 1 && fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("While the server's keys cannot be fetched no code is sent, and the next copy of the callback signs in")
    func keysOutOfReach() async throws {
        let store = FaultyTokenStore()
        let fixture = try await OpenIDFixture(store: store)
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let listings = store.count(of: .list, in: .pendingFlows)
        let provider = fixture.provider()
        fixture.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/jwks")
        let error = await #expect(throws: OAuthError.self) { try await provider.finishSignIn(callback) }
        #expect(error?.failureCode == "answer_failed_status" && fixture.requests(to: "/token") == 0)
        #expect(try await provider.finishSignIn(callback) == fixture.account)
        #expect(store.count(of: .list, in: .pendingFlows) == listings)
        await fixture.server.stop()
    }

    @Test(
        "The callback of another client or another server is refused and stays for whom it belongs to",
        .guards("flow's issuer"),
        arguments: [true, false])
    func otherProvider(isOtherServer: Bool) async throws {
        let fixture = try await OpenIDFixture()
        let other = try await OpenIDFixture(store: fixture.store)
        let callback = try await fixture.login.signIn(at: fixture.abandonedSignIn())
        let stranger = isOtherServer ? other.provider() : fixture.provider { $0.clientID = "another" }
        let error = await #expect(throws: OAuthError.self) { try await stranger.finishSignIn(callback) }
        #expect(error?.failureCode == "callback_unknown_flow")
        #expect(other.requests(to: "/token") == 0)
        #expect(try await fixture.provider().finishSignIn(callback) == fixture.account)
        await fixture.server.stop()
        await other.server.stop()
    }
}
