import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// The disk fills up between the request and the answer.
@Suite(.endsInTime) struct UnstoredSessionTests {
    private let fixture = SessionsFixture()

    private func refreshedButNotStored() async throws -> (ProviderSessions, AsyncStream<SessionReport>.Iterator) {
        let sessions = fixture.sessions(time: fixture.clock.timeSource)
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"))
        var reports = fixture.monitor.reports().makeAsyncIterator()
        #expect(try await fixture.whileTimePasses { try await fixture.token(sessions) } == "token-1")
        guard case .notStored? = await reports.next() else { throw TestError() }
        return (sessions, reports)
    }

    /// Waits until the next attempt sleeps on the clock.
    private func attemptSleeps() async {
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
    }

    /// Lets the time pass in which attempts follow each other. Not once: a timer of something that is over may still be
    /// among those that sleep.
    private func attemptsGoOn(until isOver: () -> Bool) async {
        while !isOver() {
            if fixture.clock.sleeperCount > 0 { fixture.clock.advance(by: .seconds(30)) }
            await Task.yield()
        }
    }

    @Test("The new token is used, nobody else refreshes, and it is stored as soon as that works")
    func storedLater() async throws {
        var (sessions, reports) = try await refreshedButNotStored()
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await fixture.store.lease(for: .account(fixture.account)) == nil)
        for _ in 0..<2 {
            await attemptSleeps()
            fixture.clock.advance(by: .seconds(30))
        }
        #expect(try await fixture.token(sessions) == "token-1")
        await attemptSleeps()
        fixture.store.heal()
        await attemptsGoOn { fixture.monitor.notStored.isEmpty }
        guard case .stored? = await reports.next() else {
            Issue.record("never stored")
            return
        }
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A process that is asked to end waits until it is stored")
    func closing() async throws {
        _ = try await refreshedButNotStored()
        #expect(await fixture.monitor.close(within: .zero) == false)
        #expect(fixture.monitor.notStored == [fixture.account])
        let closing = Task { await fixture.monitor.close(within: .seconds(600)) }
        await attemptSleeps()
        fixture.store.heal()
        await attemptsGoOn { fixture.monitor.notStored.isEmpty }
        #expect(await closing.value)
        #expect(fixture.monitor.notStored == [])
        #expect(try await fixture.store.record(for: .account(fixture.account))?.generation == 2)
    }

    @Test("A sign-out meanwhile wins, and the token is revoked")
    func signedOut() async throws {
        let (sessions, _) = try await refreshedButNotStored()
        fixture.store.heal()
        try await fixture.sessions().end(fixture.account)
        #expect(await fixture.failureCode(sessions) == "not_signed_in")
        await attemptsGoOn { !fixture.backend.discarded.isEmpty }
        #expect(fixture.backend.discarded == ["refresh-1"])
        #expect(try await fixture.store.record(for: .account(fixture.account))?.content == nil)
    }

    @Test("Without space for the result nothing is sent, and the valid token stays in use")
    func fullBefore() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.store.fail(.lease, with: TokenStoreError.full(path: "p"))
        fixture.clock.advance(by: .seconds(3550))
        #expect(try await fixture.token(sessions) == "token")
        fixture.clock.advance(by: .seconds(60))
        #expect(await fixture.failureCode(sessions) == "store_full")
        #expect(fixture.backend.requests == [])
        fixture.store.heal()
        #expect(try await fixture.token(sessions) == "token-1")
    }

    /// A process with an expired session, whose refreshes bring tokens that no record holds.
    private func tooLarge() async throws -> (ProviderSessions, token: String) {
        let token = String(repeating: "t", count: 48 * 1024)
        let sessions = fixture.sessions(
            time: fixture.clock.timeSource,
            exchange: { [fixture] in
                guard case .refreshed(var refreshed, _, _) = try await fixture.backend.refresh($0) else {
                    throw TestError()
                }
                refreshed.accessToken = Secret(token)
                return .refreshed(refreshed)
            })
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        return (sessions, token)
    }

    @Test("Tokens that alone are larger than a record are used, and the report names their size")
    func larger() async throws {
        let (sessions, token) = try await tooLarge()
        var reports = fixture.monitor.reports().makeAsyncIterator()
        for _ in 0..<2 { #expect(try await fixture.token(sessions) == token) }
        guard case .notStored(_, let error as TokenStoreError)? = await reports.next(),
            case .tooLarge(let size, 49_152) = error
        else { throw TestError() }
        #expect(size > 49_152)
        #expect(fixture.monitor.notStored == [fixture.account])
        #expect(fixture.backend.requests == ["refresh-0"])
        // Nobody else sends the token that is spent.
        #expect(try await fixture.store.lease(for: .account(fixture.account)) == nil)
        #expect(try await fixture.store.record(for: .account(fixture.account))?.generation == 1)
        await attemptSleeps()
        try await fixture.sessions().end(fixture.account)
        await attemptsGoOn { fixture.monitor.notStored.isEmpty }
        #expect(fixture.backend.discarded == ["refresh-1"])
        #expect(await fixture.failureCode(sessions) == "not_signed_in")
    }

    @Test("Tokens that no record holds are refreshed again in their process, and stored once they fit")
    func largerAgain() async throws {
        let large = String(repeating: "t", count: 48 * 1024)
        let isLarge = Locked(true)
        let sessions = fixture.sessions(
            time: fixture.clock.timeSource,
            exchange: { [fixture] in
                let result = try await fixture.backend.refresh($0)
                guard case .refreshed(var refreshed, _, _) = result, isLarge.withLock({ $0 }) else { return result }
                refreshed.accessToken = Secret(refreshed.accessToken.reveal() + large)
                return .refreshed(refreshed)
            })
        try await sessions.begin(fixture.credential(), for: fixture.account)
        for round in 1...2 {
            fixture.clock.advance(by: .seconds(3600))
            #expect(try await fixture.token(sessions) == "token-\(round)" + large)
            #expect(fixture.monitor.notStored == [fixture.account])
            #expect(try await fixture.store.lease(for: .account(fixture.account)) == nil)
        }
        fixture.clock.advance(by: .seconds(3600))
        fixture.backend.script(.refuseConnection)
        #expect(await fixture.failureCode(sessions) == "connection_refused")
        #expect(fixture.monitor.notStored == [fixture.account], "kept for the next attempt")
        isLarge.withLock { $0 = false }
        fixture.clock.advance(by: .seconds(2))
        #expect(try await fixture.token(sessions) == "token-3")
        #expect(fixture.monitor.notStored == [])
        #expect(try await fixture.token(fixture.sessions()) == "token-3")
        #expect(fixture.backend.requests == ["refresh-0", "refresh-1", "refresh-2"])
        #expect(try await fixture.store.lease(for: .account(fixture.account)) != nil)
    }

    @Test("A new refresh token beside an access token that must not be used is kept as well")
    func unusable() async throws {
        let sessions = fixture.sessions(
            time: fixture.clock.timeSource,
            exchange: { [fixture] in
                guard case .refreshed(let new, _, _) = try await fixture.backend.refresh($0) else {
                    throw TestError()
                }
                var kept = $0
                kept.refreshToken = new.refreshToken
                return .unusable(kept, TestError(failureCode: "odd_type", failureClass: .definitive))
            })
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"))
        fixture.clock.advance(by: .seconds(3600))
        #expect(await fixture.whileTimePasses { await fixture.failureCode(sessions) } == "odd_type")
        #expect(fixture.monitor.notStored == [fixture.account])
        fixture.store.heal()
        await attemptsGoOn { fixture.monitor.notStored.isEmpty }
        let stored = try #require(try await fixture.sessions().storedCredential(of: fixture.account))
        #expect(stored.refreshToken == "refresh-1")
    }
}
