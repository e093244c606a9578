import Foundation
import IdentityKit
import IdentityTesting
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// This machine's clock is wrong, by an hour or by ten years, and the server sends its own time or does not: no session
/// ends by that, and no request is sent in a loop.
@Suite struct ClockTests {
    static let offsets: [TimeInterval] = [3700, -3700, 10 * 365 * 86_400, -10 * 365 * 86_400]

    private func fixture(omitsDate: Bool) async throws -> ThunderIDFixture {
        let fixture = try await ThunderIDFixture()
        fixture.server.http.standingFaults.omitsDate = omitsDate
        return fixture
    }

    /// A provider on a machine whose clock is off by so many seconds.
    private func provider(
        _ fixture: ThunderIDFixture, _ method: ThunderIDSettings.SignInMethod, _ offset: Locked<TimeInterval>,
        bindsTokens: Bool = false
    ) throws -> ThunderIDProvider {
        try fixture.provider(
            method: method, prompter: ScriptedPrompter(fixture.credentials), browser: fixture.browser,
            bindsTokens: bindsTokens,
            time: fixture.clock.dates { offset.withLock { $0 } })
    }

    @Test("A sign-in with a wrong clock outlives that the clock is put right", arguments: offsets, [false, true])
    func putRight(offset: TimeInterval, omitsDate: Bool) async throws {
        let fixture = try await fixture(omitsDate: omitsDate)
        let jump = Locked<TimeInterval>(offset)
        let provider = try provider(fixture, .redirect, jump)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        jump.withLock { $0 = 0 }
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
        let token = try await provider.accessToken(for: account, scopes: [])
        #expect(try await fixture.status(of: "oauth2/userinfo", token: token) == 200)
        #expect(try await provider.accessToken(for: account, scopes: []) == token)
        // What is known about the end of the session is right again: a day after the sign-in.
        let end = try #require(try await fixture.stored()?.sessionEndsAt)
        #expect(abs(end.timeIntervalSince(fixture.clock.now) - 86_400) < 2)
        await fixture.server.stop()
    }

    @Test("At the true end of the session the server says so, once", arguments: offsets + [0])
    func end(offset: TimeInterval) async throws {
        let fixture = try await fixture(omitsDate: true)
        let provider = try provider(fixture, .redirect, Locked(offset))
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        fixture.clock.advance(by: .seconds(86_600))
        for _ in 1...3 {
            await #expect(throws: (any Error).self) { try await provider.accessToken(for: account, scopes: []) }
        }
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        // With a clock that is right the end is known, and no request is sent.
        #expect(fixture.requests(to: "/oauth2/token") == (offset == 0 ? 1 : 2))
        await fixture.server.stop()
    }

    @Test("The session of an assertion, which cannot be refreshed, is there again with the clock", arguments: offsets)
    func assertion(offset: TimeInterval) async throws {
        let fixture = try await fixture(omitsDate: false)
        let jump = Locked<TimeInterval>(0)
        let provider = try fixture.provider(
            clientID: .some(nil), prompter: ScriptedPrompter(fixture.credentials),
            time: fixture.clock.dates { jump.withLock { $0 } })
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        jump.withLock { $0 = offset }
        _ = try? await provider.accessToken(for: account, scopes: [])
        _ = try await provider.silentAccount(scopes: [], deviceToken: "d")
        jump.withLock { $0 = 0 }
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
        _ = try await provider.accessToken(for: account, scopes: [])
        await fixture.server.stop()
    }

    @Test("A person whose tokens are bound signs in and stays signed in with a wrong clock", arguments: offsets)
    func alwaysBound(offset: TimeInterval) async throws {
        let fixture = try await fixture(omitsDate: false)
        let provider = try provider(fixture, .redirect, Locked(offset), bindsTokens: true)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        // The response to the pushed request tells the time, so that the first proof is right.
        #expect(fixture.requests(to: "/oauth2/token") == 1)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: account, scopes: [])
        #expect(fixture.requests(to: "/oauth2/token") == 2)
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test(
        "A bound session survives a wrong clock: a proof the server refuses ends nothing", arguments: offsets,
        [false, true])
    func bound(offset: TimeInterval, omitsDate: Bool) async throws {
        let fixture = try await fixture(omitsDate: omitsDate)
        let jump = Locked<TimeInterval>(0)
        let provider = try provider(fixture, .redirect, jump, bindsTokens: true)
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        jump.withLock { $0 = offset }
        fixture.clock.advance(by: .seconds(3600))
        let before = fixture.requests(to: "/oauth2/token")
        for _ in 1...5 { _ = try? await provider.accessToken(for: account, scopes: []) }
        #expect(fixture.requests(to: "/oauth2/token") - before <= 2)
        // Past the known end of the session, for as long as the clock says so, nothing is asked.
        if !omitsDate, offset < 86_400 { #expect(fixture.server.counters.refreshes == 1) }
        jump.withLock { $0 = 0 }
        fixture.clock.advance(by: .seconds(60))
        // The first proof may be made by what was learnt before; its refusal tells the time, and the client rests.
        _ = try? await provider.accessToken(for: account, scopes: [])
        fixture.clock.advance(by: .seconds(60))
        _ = try await provider.accessToken(for: account, scopes: [])
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
        await fixture.server.stop()
    }
}
