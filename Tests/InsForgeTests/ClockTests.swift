import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// This machine's clock is wrong, by an hour or by ten years, and the server says its own time or does not: nobody is
/// signed out by that, and no request is sent in a loop.
@Suite struct ClockTests {
    static let offsets: [TimeInterval] = [3700, -3700, 10 * 365 * 86_400, -10 * 365 * 86_400]

    private func fixture(omitsDate: Bool) async throws -> InsForgeFixture {
        let fixture = try await InsForgeFixture()
        fixture.server.http.standingFaults.omitsDate = omitsDate
        return fixture
    }

    private func provider(_ fixture: InsForgeFixture, _ offset: Locked<TimeInterval>) throws -> InsForgeProvider {
        try fixture.provider(
            prompter: ScriptedPrompter(fixture.credentials),
            time: fixture.clock.dates { offset.withLock { $0 } })
    }

    /// The status of a call with an access token.
    private func status(_ fixture: InsForgeFixture, _ token: String) async throws -> Int {
        var request = URLRequest(url: fixture.server.url.appendingPathComponent("api/auth/sessions/current"))
        request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        return try await URLSessionTransport().data(for: request).1.statusCode
    }

    @Test("The server says its time with every answer, and leaves it out when it is told to")
    func date() async throws {
        let fixture = try await fixture(omitsDate: false)
        let url = fixture.server.url.appendingPathComponent("api/auth/public-config")
        for omitsDate in [false, true] {
            fixture.server.http.standingFaults.omitsDate = omitsDate
            let (_, head) = try await URLSessionTransport().data(for: URLRequest(url: url))
            #expect((head.value(forHTTPHeaderField: "Date") == nil) == omitsDate)
        }
        await fixture.server.stop()
    }

    @Test(
        "Somebody signs in and stays signed in with a clock that is wrong all the time", arguments: offsets,
        [false, true])
    func always(offset: TimeInterval, omitsDate: Bool) async throws {
        let fixture = try await fixture(omitsDate: omitsDate)
        let provider = try provider(fixture, Locked(offset))
        let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
        for refreshes in 1...3 {
            fixture.clock.advance(by: .seconds(900))
            let token = try await provider.accessToken(for: account, scopes: [])
            #expect(try await status(fixture, token) == 200)
            #expect(try await provider.accessToken(for: account, scopes: []) == token)
            #expect(fixture.server.counters.refreshes == refreshes)
        }
        await fixture.server.stop()
    }

    @Test(
        "A clock that jumps, jumps back or is put right ends no session and costs one refresh each", arguments: offsets,
        [false, true])
    func jumps(offset: TimeInterval, omitsDate: Bool) async throws {
        for jumps in [[0, offset, 0, offset, 0], [offset, 0, offset, 0]] {
            let fixture = try await fixture(omitsDate: omitsDate)
            let jump = Locked<TimeInterval>(jumps[0])
            let provider = try provider(fixture, jump)
            let account = try #require(try await provider.signIn(scopes: [], deviceToken: "d"))
            for (round, seconds) in jumps.enumerated() {
                jump.withLock { $0 = seconds }
                for _ in 1...3 {
                    let token = try await provider.accessToken(for: account, scopes: [])
                    #expect(try await status(fixture, token) == 200)
                }
                #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
                #expect(fixture.server.counters.refreshes <= round)
            }
            await fixture.server.stop()
        }
    }
}
