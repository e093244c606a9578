import Foundation
import IdentityLocalServers
import Testing

@testable import IdentityKit

/// When a token is refreshed, and what a failed early refresh costs: nothing.
@Suite struct RefreshScheduleTests {
    private let fixture = SessionsFixture()

    @Test(
        "The window depends on the lifetime, the last minute is due",
        arguments: [
            (20, 9, .none), (20, 10, .early), (20, 18, .due), (600, 299, .none), (600, 300, .early), (600, 541, .due),
            (1200, 899, .none), (1200, 900, .early), (3600, 2699, .none), (3600, 2700, .early), (3600, 3539, .early),
            (3600, 3540, .due), (86_400, 82_799, .none), (86_400, 82_800, .early), (86_400, 86_340, .due),
            (3600, -61, .early), (3600, -59, .none),
        ] as [(TimeInterval, TimeInterval, RefreshSchedule.Urgency)])
    func windows(lifetime: TimeInterval, age: TimeInterval, expected: RefreshSchedule.Urgency) {
        let credential = fixture.credential(lifetime: lifetime)
        let urgency = RefreshSchedule(jitter: 0).urgency(of: credential, at: fixture.clock.now + age)
        #expect(urgency == expected)
    }

    @Test("Processes wake at different times, at most a fifth of the window apart")
    func jitter() throws {
        let credential = fixture.credential()
        let dates = (0..<50).compactMap { _ in RefreshSchedule().earlyDate(of: credential) }
        #expect(Set(dates).count > 10)
        let ages = dates.map { $0.timeIntervalSince(credential.issuedAt) }
        #expect(ages.allSatisfy { (2700...2880).contains($0) })
    }

    @Test("An early refresh that fails serves the valid token and is not tried again for minutes")
    func postponed() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(2880))
        fixture.backend.script(.refuseConnection, .refuseConnection)
        var reports = fixture.monitor.reports().makeAsyncIterator()
        #expect(try await fixture.token(sessions) == "token")
        guard case .postponed? = await reports.next() else {
            Issue.record("not reported")
            return
        }
        fixture.clock.advance(by: .seconds(299))
        #expect(try await fixture.token(sessions) == "token")
        #expect(fixture.backend.requests == [])
        fixture.clock.advance(by: .seconds(302))
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(119))
        #expect(try await fixture.token(sessions, replacing: "token") == "token-1")
    }

    @Test("A token that is due and still works outlives a failing backend; one that was refused does not")
    func dueAndValid() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3550))
        fixture.backend.script(.refuseConnection, .refuseConnection, .refuseConnection)
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(1))
        #expect(await fixture.failureCode(sessions, replacing: "token") == "connection_refused")
        fixture.clock.advance(by: .seconds(60))
        #expect(await fixture.failureCode(sessions) == "connection_refused")
        #expect(try await sessions.lookUp().account == fixture.account)
    }

    @Test("An early refresh waits for nobody")
    func earlyAndBusy() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(2880))
        let lease = try await fixture.store.lease(for: .account(fixture.account))
        #expect(try await fixture.token(sessions) == "token")
        await lease?.release()
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("A clock that is set back or forward by a day loses no session and keeps no dead token", arguments: [-1, 1])
    func clockSteps(days: Int) async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(86_400 * days))
        // In doubt about the token's age, a new one is had.
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await fixture.token(sessions) == "token-1")
        fixture.clock.advance(by: .seconds(-86_400 * days))
        #expect(try await fixture.token(sessions).hasPrefix("token-"))
        #expect(fixture.backend.replays == 0)
    }

    @Test("A token of a clock that was ahead is refreshed, also when a look-up read it", arguments: [true, false])
    func clockPutRight(looksUp: Bool) async throws {
        fixture.clock.advance(by: .seconds(86_400))
        try await fixture.sessions().begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(-86_400))
        let sessions = fixture.sessions()
        if looksUp { #expect(try await sessions.lookUp(fixture.account).account == fixture.account) }
        fixture.backend.script(.refuseConnection)
        #expect(try await fixture.token(sessions) == "token")
        #expect(try await fixture.token(sessions) == "token")
        #expect(fixture.backend.requests == [])
        fixture.clock.advance(by: .seconds(601))
        if looksUp { _ = try await sessions.lookUp(fixture.account) }
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("A refresh that was put off by a clock that was ahead is not put off for as long")
    func postponedAhead() async throws {
        let sessions = fixture.sessions()
        fixture.clock.advance(by: .seconds(86_400))
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(2880))
        fixture.backend.script(.refuseConnection)
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(-86_400))
        #expect(try await fixture.token(sessions) == "token-1")
    }

    private func token(_ sessions: ProviderSessions, _ freshness: TokenFreshness) async throws -> String {
        try await sessions.accessToken(for: fixture.account, scopes: [], freshness: freshness)
    }

    @Test("A token that ends sooner than the caller needs is refreshed once, and a new one is taken as it is")
    func minimumLifetime() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(600))
        #expect(try await token(sessions, .lasting(.seconds(2999))) == "token")
        #expect(try await token(sessions, .lasting(.seconds(3001))) == "token-1")
        #expect(try await token(sessions, .lasting(.seconds(3599))) == "token-1")
        // The server gives an hour.
        #expect(try await token(sessions, .lasting(.seconds(86_400))) == "token-2")
        #expect(try await fixture.token(sessions) == "token-2")
        #expect(try await token(sessions, .new) == "token-3")
    }

    @Test("What cannot be refreshed is an error, unless it lasts")
    func lastingWithoutRefresh() async throws {
        let sessions = fixture.sessions()
        let account = fixture.account
        try await sessions.begin(fixture.credential(refreshToken: nil), for: account)
        #expect(try await token(sessions, .lasting(.seconds(3599))) == "token")
        for freshness in [TokenFreshness.lasting(.seconds(3601)), .new] {
            await #expect(throws: SessionError.cannotRefresh(account)) { try await token(sessions, freshness) }
        }
        try await sessions.begin(fixture.credential("endless", refreshToken: nil, lifetime: nil), for: account)
        #expect(try await token(sessions, .lasting(.seconds(1_000_000_000))) == "endless")
    }

    @Test("While a pause holds requests back, a refresh that was asked for has the error of the pause")
    func demandedRefreshPauses() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.backend.script(.refuseClient("invalid_client"))
        for code in ["invalid_client", "client_refused"] {
            let error = await #expect(throws: (any Error).self) { try await token(sessions, .new) }
            #expect((error as? any IdentityFailure)?.failureCode == code)
        }
        #expect(fixture.backend.requests == ["refresh-0"])
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(30))
        #expect(try await token(sessions, .new) == "token-1")
    }

    @Test("A refresh that was asked for and fails is an error, and the valid token stays in use")
    func demandedRefreshFails() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.backend.script(.refuseConnection, .loseAnswer)
        await #expect(throws: TransportError.self) { try await token(sessions, .new) }
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(60))
        await #expect(throws: TransportError.self) { try await token(sessions, .new) }
        // In doubt, nothing is sent.
        let sent = fixture.backend.requests.count
        let error = await #expect(throws: SessionError.self) { try await token(sessions, .new) }
        #expect(error?.failureCode == "refresh_postponed" && error?.failureClass == .transient)
        #expect(try await fixture.token(sessions) == "token")
        #expect(fixture.backend.requests.count == sent && fixture.backend.replays == 0)
    }

    @Test("Whoever waits for another holder waits as long as the page says, also where nothing wakes it")
    func waitsInFull() async throws {
        let slept = Locked(Duration.zero)
        let time = TimeSource(
            now: { [fixture] in fixture.clock.now },
            sleep: { pause in
                slept.withLock { $0 += pause }
                await Task.yield()
            })
        _ = try await fixture.expired()
        let lease = try #require(try await fixture.store.lease(for: .account(fixture.account)))
        #expect(await fixture.failureCode(fixture.sessions(time: time)) == "refresh_in_progress")
        #expect(slept.withLock { $0 } >= TokenRefresher.leaseDeadline)
        await lease.release()
    }

    @Test("A clock that is set back while the backend is away leaves the token in use")
    func clockStepOffline() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(-86_400))
        fixture.backend.script(.refuseConnection)
        #expect(try await fixture.token(sessions) == "token")
    }
}
