import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

@Suite("What a refresh brought is stored, whatever fails meanwhile")
struct StoredResultTests {
    private let fixture = SessionsFixture()

    private func generation() async throws -> UInt64? {
        try await fixture.store.record(for: .account(fixture.account))?.generation
    }

    /// A file store whose leases are notes with a deadline, with a session that has expired.
    private func expired(in folder: TemporaryFolder) async throws -> FileTokenStore {
        let store = try FileTokenStore(
            folder: folder.file("store"), protection: .allowUnencryptedStorage, leasing: .forAtMost(.seconds(45)),
            time: fixture.clock.dates)
        try await fixture.sessions(store: store).begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        return store
    }

    @Test("A write that fails once is done again before anybody gets the token")
    func failedOnce() async throws {
        let sessions = try await fixture.expired()
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.notWritable(path: "p", detail: "EIO"), times: 1)
        var reports = fixture.monitor.reports().makeAsyncIterator()
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await generation() == 2)
        guard case .refreshed? = await reports.next() else { throw TestError() }
        #expect(fixture.monitor.notStored == [])
    }

    @Test("A write that failed after it had replaced the record is no sign-out: nothing is revoked")
    func failedAfterwards() async throws {
        let sessions = try await fixture.expired()
        fixture.store.fail(
            .acknowledge, in: .accounts, with: TokenStoreError.notWritable(path: "p", detail: "EIO"), times: 1)
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        #expect(fixture.backend.discarded == [])
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("An end of the session is stored as stubbornly")
    func endFailedOnce() async throws {
        let sessions = try await fixture.expired()
        fixture.backend.revoke()
        fixture.store.fail(.write, in: .accounts, with: TokenStoreError.full(path: "p"), times: 1)
        #expect(await fixture.failureCode(sessions) == "session_ended")
        #expect(await fixture.failureCode(fixture.sessions()) == "session_ended")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A process that was away for longer than its lease stores its result, when nobody has made another")
    func leaseLost() async throws {
        let folder = try TemporaryFolder()
        let (clock, account) = (fixture.clock, fixture.account)
        let store = try await expired(in: folder)
        let sessions = fixture.sessions(store: store)
        fixture.backend.script(
            .after {
                clock.advance(by: .seconds(60))
                // Somebody else takes the lease over, and finds nothing to do.
                await (try await store.lease(for: .account(account)))?.release()
            })
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await fixture.token(fixture.sessions(store: store)) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("Overtaken by another refresh of the same session, a result is not revoked: that would end the session")
    func overtakenByRefresh() async throws {
        let folder = try TemporaryFolder()
        let (clock, fixture) = (fixture.clock, fixture)
        let store = try await expired(in: folder)
        let sessions = fixture.sessions(store: store)
        let other = fixture.sessions(replay: .always, store: store) { credential in
            var next = credential
            (next.accessToken, next.refreshToken) = ("token-other", "refresh-other")
            next.expiresAt = clock.now + 3600
            return .refreshed(next)
        }
        fixture.backend.script(
            .after {
                clock.advance(by: .seconds(60))
                _ = try await fixture.token(other)
            })
        #expect(try await fixture.token(sessions) == "token-other")
        #expect(fixture.backend.discarded == [])
    }

    @Test("Overtaken by a write that brought no tokens, a result is stored all the same")
    func overtakenByDetails() async throws {
        let folder = try TemporaryFolder()
        let (clock, fixture) = (fixture.clock, fixture)
        let store = try await expired(in: folder)
        let sessions = fixture.sessions(store: store)
        fixture.backend.script(
            .after {
                clock.advance(by: .seconds(60))
                // Another process wrote this before the note of the request, and is told so late.
                let note = StoreKey(.refreshes, fixture.account.id)
                let noted = try await store.record(for: note)
                _ = try await store.write(nil, for: note, replacing: noted?.generation ?? 0)
                try await fixture.sessions(store: store).remember(["seen": true], for: fixture.account)
            })
        #expect(try await fixture.token(sessions) == "token-1")
        #expect(try await fixture.token(fixture.sessions(store: store)) == "token-1")
        #expect(try await sessions.storedCredential(of: fixture.account)?.details["seen"] == true)
        #expect(fixture.backend.discarded == [] && fixture.backend.requests == ["refresh-0"])
    }

    @Test("What is remembered of a session leaves a note in doubt as it is: the token is not sent again")
    func rememberedInDoubt() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3550))
        fixture.backend.script(.loseAnswer)
        #expect(try await fixture.token(sessions) == "token")
        try await sessions.remember(["seen": true], for: fixture.account)
        #expect(try await fixture.token(fixture.sessions()) == "token")
        #expect(fixture.backend.requests == ["refresh-0"])
    }

    @Test("A lease that reaches too far, from before a clock was set back, is nobody's")
    func leaseOfTheFuture() async throws {
        let folder = try TemporaryFolder()
        let store = try await expired(in: folder)
        let lease = try #require(try await store.lease(for: .account(fixture.account)))
        #expect(try await store.lease(for: .account(fixture.account)) == nil)
        fixture.clock.advance(by: .seconds(-86_400))
        #expect(try await store.lease(for: .account(fixture.account)) != nil)
        await lease.release()
    }
}
