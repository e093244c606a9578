import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// What another library has kept: a value that is there until it is removed.
final class OldSession: Sendable {
    struct Stuck: Error {}

    private let state = Locked((isThere: true, removals: 0, failures: 0))

    var isThere: Bool { state.withLock { $0.isThere } }
    var removals: Int { state.withLock { $0.removals } }

    func failRemovals(_ count: Int) { state.withLock { $0.failures = count } }

    func remove() throws {
        try state.withLock { state in
            guard state.failures == 0 else {
                state.failures -= 1
                throw Stuck()
            }
            (state.isThere, state.removals) = (false, state.removals + 1)
        }
    }

    func kept(_ credential: Credential, account: String = "ada") -> ExternalSession {
        ExternalSession(source: "Elder", account: account, credential: credential) { try self.remove() }
    }
}

@Suite(.endsInTime) struct TakeoverTests {
    private let fixture = SessionsFixture()
    private let old = OldSession()
    private let recorder = EventRecorder()

    init() { fixture.monitor.observers.add(recorder) }

    private var kept: ExternalSession { old.kept(fixture.credential("old", lifetime: -60)) }

    private func generation() async throws -> UInt64? {
        try await fixture.store.record(for: .account(fixture.account))?.generation
    }

    @Test("A session is stored, then removed where it was, told once, and refreshed at its first use")
    func takesOver() async throws {
        let sessions = fixture.sessions()
        #expect(try await sessions.importSession(kept) == .takenOver)
        #expect(!old.isThere)
        #expect(try await sessions.lookUp().account == fixture.account)
        #expect(fixture.backend.requests == [])
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        #expect(fixture.backend.requests == ["refresh-0"])
        let event = await recorder.first("takeover.taken_over")
        #expect(event.account == fixture.account && event.level == .info)
        #expect(event.description.contains("Elder") && !event.description.contains("refresh-0"))
    }

    @Test("A session that is here already wins, and the old one is removed")
    func oursWins() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential("ours", refreshToken: "refresh-9"), for: fixture.account)
        let before = try await generation()
        #expect(try await sessions.importSession(kept) == .alreadySignedIn)
        #expect(!old.isThere)
        #expect(try await generation() == before)
        #expect(try await fixture.token(sessions) == "ours")
    }

    @Test("Who has signed out here stays signed out")
    func signOutWins() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(), for: fixture.account)
        try await sessions.end(fixture.account)
        #expect(try await sessions.importSession(kept) == .signedOut)
        #expect(!old.isThere)
        #expect(try await sessions.lookUp().account == nil)
        await recorder.first("takeover.signed_out")
    }

    @Test("A session that has ended here makes room")
    func endedHere() async throws {
        let sessions = fixture.sessions()
        try await sessions.begin(fixture.credential(refreshToken: nil, lifetime: 60), for: fixture.account)
        fixture.clock.advance(by: .seconds(61))
        #expect(try await sessions.importSession(kept) == .takenOver)
        #expect(try await fixture.token(sessions) == "token-1")
    }

    @Test("What the backend has ended here does not begin anew from the library's copy")
    func refusedHere() async throws {
        let sessions = fixture.sessions()
        let kept = kept
        let result = try await sessions.importSession(kept, as: fixture.account) { _ in
            false
        } unless: {
            nil
        }
        #expect(result == .takenOver && old.isThere)
        fixture.backend.revoke()
        await #expect(throws: SessionError.self) { try await fixture.token(sessions) }
        #expect(try await sessions.importSession(kept) == .ended)
        #expect(old.isThere)
        // A later sign-in in the other library is another session.
        fixture.clock.advance(by: .seconds(1))
        #expect(try await sessions.importSession(self.kept) == .takenOver)
    }

    @Test("A session that has ended is neither stored nor removed")
    func endedThere() async throws {
        let ended = old.kept(fixture.credential("old", refreshToken: nil, lifetime: -60))
        #expect(try await fixture.sessions().importSession(ended) == .ended)
        #expect(old.isThere)
        #expect(try await generation() == nil)
    }

    @Test("A session of another server is left alone, on either side")
    func foreign() async throws {
        let sessions = fixture.sessions()
        let other = fixture.credential(backend: "https://other.example.com")
        let error = await #expect(throws: SessionImportError.self) { try await sessions.importSession(old.kept(other)) }
        #expect(error?.failureCode == "takeover_foreign" && old.isThere)
        let elsewhere = ProviderSessions(
            realm: "work", origin: .anyone(at: "https://other.example.com"), store: fixture.store,
            time: fixture.clock.dates
        ) { _ in .refused(reason: "no") }
        try await elsewhere.begin(other, for: fixture.account)
        await #expect(throws: SessionImportError.occupied(fixture.account)) { try await sessions.importSession(kept) }
        #expect(old.isThere)
        #expect(try await elsewhere.storedCredential(of: fixture.account) != nil)
    }

    @Test(
        "Tokens that a record cannot hold, and an account without a name, are refused", arguments: ["", "a\u{0}b", "ü"])
    func malformed(token: String) async throws {
        await #expect(throws: SessionImportError.self) {
            try await fixture.sessions().importSession(old.kept(fixture.credential(token)))
        }
        await #expect(throws: SessionImportError.self) {
            try await fixture.sessions().importSession(old.kept(fixture.credential(), account: ""))
        }
        #expect(old.isThere)
        #expect(try await generation() == nil)
    }

    @Test("A store that fails at any step loses nothing, and the next takeover completes it")
    func failingStore() async throws {
        let steps: [(FaultyTokenStore.Operation, StoreKey.Collection)] = [
            (.read, .accounts), (.write, .accounts), (.acknowledge, .accounts), (.read, Self.index),
            (.write, Self.index), (.acknowledge, Self.index),
        ]
        for (operation, collection) in steps {
            let (fixture, old) = (SessionsFixture(), OldSession())
            fixture.store.fail(operation, in: collection, with: TokenStoreError.full(path: "x"))
            let sessions = fixture.sessions()
            let kept = old.kept(fixture.credential("old", lifetime: -60))
            await #expect(throws: TokenStoreError.full(path: "x")) { try await sessions.importSession(kept) }
            #expect(old.isThere, "\(operation) of \(collection)")
            fixture.store.heal()
            try await fixture.sessions().importSession(kept)
            #expect(!old.isThere)
            #expect(try await fixture.sessions().lookUp().account == fixture.account)
            #expect(try await fixture.store.record(for: .account(fixture.account))?.generation == 1)
            #expect(try await fixture.token(fixture.sessions()) == "token-1")
        }
    }

    /// The record that names the account which signed in last.
    private static let index = StoreKey.Collection.currentAccounts

    @Test("What could not be removed is removed the next time, and not stored twice")
    func stuck() async throws {
        old.failRemovals(1)
        #expect(try await fixture.sessions().importSession(kept) == .takenOver)
        #expect(old.isThere)
        await recorder.first("takeover.not_removed")
        #expect(try await fixture.token(fixture.sessions()) == "token-1")
        let before = try await generation()
        #expect(try await fixture.sessions().importSession(kept) == .alreadySignedIn)
        #expect(!old.isThere)
        #expect(try await generation() == before)
    }

    @Test("A cancelled takeover loses nothing")
    func cancelled() async throws {
        let (entered, enter) = AsyncStream.makeStream(of: Void.self)
        let store = HookedStore(
            base: fixture.store,
            beforeWrite: { _ in
                enter.yield()
                // Until the task is cancelled.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                try Task.checkCancellation()
            })
        let task = Task { [kept] in try await fixture.sessions(store: store).importSession(kept) }
        for await _ in entered { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(old.isThere)
        #expect(try await fixture.sessions().importSession(kept) == .takenOver)
    }

    @Test("Two processes that take over the same session store it once")
    func twoProcesses() async throws {
        let other = fixture.sessions()
        let hasRun = Locked(false)
        let store = HookedStore(
            base: fixture.store,
            beforeWrite: { [kept] key in
                let isFirst = hasRun.withLock { done in
                    defer { done = true }
                    return !done
                }
                guard key.collection == .accounts || isFirst else { return }
                if isFirst { _ = try await other.importSession(kept) }
            })
        #expect(try await fixture.sessions(store: store).importSession(kept) == .alreadySignedIn)
        #expect(try await generation() == 1)
        #expect(try await fixture.sessions().lookUp().account == fixture.account)
    }
}

@Suite(.endsInTime) struct FirstLookTests {
    private let fixture = SessionsFixture()
    private let old = OldSession()
    private let recorder = EventRecorder()

    private func look(_ find: @escaping ImportOnce.Find) -> ImportOnce {
        fixture.monitor.observers.add(recorder)
        let sessions = fixture.sessions()
        return ImportOnce(of: "Elder", for: sessions, find: find) { try await sessions.importSession($0) }
    }

    @Test("Everybody who looks first waits for the one takeover")
    func once() async throws {
        let count = Locked(0)
        let look = look { [old, fixture] in
            count.withLock { $0 += 1 }
            return old.kept(fixture.credential())
        }
        #expect(look.pending()?.account == "ada")
        try await withThrowingTaskGroup(of: AccountID?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await look.finish { false }
                    return try await fixture.sessions().lookUp().account
                }
            }
            for try await account in group { #expect(account == fixture.account) }
        }
        #expect(count.withLock { $0 } == 2, "once for the synchronous look, and once for all others")
        #expect(old.removals == 1 && look.isDone && look.pending() == nil)
    }

    @Test("What is locked is tried again at the next look; what cannot be read is told once and left alone")
    func failures() async throws {
        let locked = Locked(true)
        let first = look { [old, fixture] in
            if locked.withLock({ $0 }) { throw TokenStoreError.locked(detail: "It is.") }
            return old.kept(fixture.credential())
        }
        for _ in 0..<2 {
            await #expect(throws: TokenStoreError.locked(detail: "It is.")) { try await first.finish { false } }
        }
        try await first.finish { true }
        locked.withLock { $0 = false }
        try await first.finish { false }
        #expect(!old.isThere)
        let second = look { throw SessionImportError.unreadable(source: "Elder", detail: "it is torn") }
        for _ in 0..<2 { try await second.finish { false } }
        await recorder.first("takeover.taken_over")
        while recorder.events.filter({ $0.failureCode == "takeover_unreadable" }).isEmpty { await Task.yield() }
        let codes = recorder.events.filter { $0.name == "takeover.failed" }.compactMap(\.failureCode)
        #expect(Set(codes) == ["store_locked", "takeover_unreadable"])
    }

    @Test(
        "A store that fails for a moment is tried again at the next look",
        arguments: [
            (FaultyTokenStore.Operation.read, TokenStoreError.unreadable(path: "p", detail: "EIO")),
            (FaultyTokenStore.Operation.write, TokenStoreError.notWritable(path: "p", detail: "EROFS")),
        ])
    func failingStore(operation: FaultyTokenStore.Operation, error: TokenStoreError) async throws {
        let look = look { [old, fixture] in old.kept(fixture.credential()) }
        fixture.store.fail(operation, in: .accounts, with: error, times: 1)
        await #expect(throws: error) { try await look.finish { false } }
        try await look.finish { false }
        #expect(!old.isThere && look.isDone)
        #expect(try await fixture.sessions().lookUp().account == fixture.account)
    }
}
