import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@Suite("All requests of a refresh together are shorter than its lease", .endsInTime)
struct RefreshDeadlineTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A session that has expired, in a file store whose leases are held as `leasing` says.
    private func expired(_ leasing: StoreLeasing) async throws -> OpenIDFixture {
        let clock = ManualClock()
        let store = try FileTokenStore(
            folder: folder.file(UUID().uuidString), protection: .allowUnencryptedStorage, leasing: leasing,
            time: clock.dates)
        let fixture = try await OpenIDFixture(store: store, clock: clock)
        _ = try await fixture.signedIn()
        clock.advance(by: .seconds(7200))
        return fixture
    }

    private func failureCode(_ provider: OAuthSessionProvider, _ account: AccountID) async -> String? {
        do {
            _ = try await provider.accessToken(for: account, scopes: [])
            return nil
        } catch {
            return error.identityFailureCode
        }
    }

    static let leasings = [StoreLeasing.untilProcessEnds, .forAtMost(.seconds(45)), .forAtMost(.seconds(15))]

    @Test("A holder that was away while it looked for the server does not send the token", arguments: leasings)
    func suspendedBeforeSending(leasing: StoreLeasing) async throws {
        let fixture = try await expired(leasing)
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/.well-known")
        let provider = fixture.provider()
        async let code = failureCode(provider, fixture.account)
        await gate.waitForAnswer()
        let sent = fixture.requests(to: "/token")
        // Timers stand still while a process is suspended.
        fixture.clock.advance(by: .seconds(60))
        gate.open()
        #expect(await code == "request_not_sent_in_time")
        #expect(fixture.requests(to: "/token") == sent)
        // Nothing is in doubt, so it is tried again after a second.
        fixture.clock.advance(by: .seconds(1))
        #expect(await failureCode(fixture.provider(), fixture.account) == nil)
        #expect(fixture.requests(to: "/token") == sent + 1)
        await fixture.server.stop()
    }

    @Test("A slow server gets what time is left, not thirty seconds for each request", arguments: leasings)
    func slowServer(leasing: StoreLeasing) async throws {
        let fixture = try await expired(leasing)
        let limit = leasing == .forAtMost(.seconds(15)) ? 10 : 30
        let gate = AnswerGate()
        fixture.server.http.fail(.holdAnswer(gate), pathPrefix: "/.well-known")
        fixture.server.http.fail(.hang, pathPrefix: "/token")
        // One that would wait for longer by itself.
        let provider = fixture.provider(
            time: fixture.clock.timeSource, transport: DefaultTransport.make(deadline: .seconds(300)))
        async let code = failureCode(provider, fixture.account)
        await gate.waitForAnswer()
        fixture.clock.advance(by: .seconds(limit - 4))
        let sent = fixture.requests(to: "/token")
        gate.open()
        while fixture.requests(to: "/token") == sent { await Task.yield() }
        fixture.clock.advance(by: .seconds(5))
        #expect(await code == "request_timed_out")
        // The token may be spent, which the note says: it is sent once more, since nothing is left to lose.
        fixture.clock.advance(by: .seconds(3))
        #expect(await failureCode(fixture.provider(), fixture.account) == nil)
        #expect(fixture.requests(to: "/token") == sent + 2)
        await fixture.server.stop()
    }
}
