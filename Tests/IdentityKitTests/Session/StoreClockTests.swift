import Foundation
import IdentityLocalServers
import IdentityTesting
import Testing

@testable import IdentityKit

/// Machines whose clocks differ share a store that has a clock of its own.
@Suite struct StoreClockTests {
    private let fixture = SessionsFixture()
    private let clock = ManualClock()

    /// A store that knows how old its records are by `clock`.
    private struct Store: TokenStore {
        let clock: ManualClock
        let base = MemoryTokenStore()
        private let written = Locked<[StoreKey: Date]>([:])

        init(clock: ManualClock) { self.clock = clock }

        func record(for key: StoreKey) async throws -> StoreRecord? {
            let date = written.withLock { $0[key] }
            return try await base.record(for: key).map {
                StoreRecord(
                    key: key, generation: $0.generation, content: $0.content,
                    age: date.map { .seconds(clock.now.timeIntervalSince($0)) })
            }
        }

        func records(in collection: StoreKey.Collection) async throws -> StoreListing {
            try await base.records(in: collection)
        }

        func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
            written.withLock { $0[key] = clock.now }
            return try await base.write(content, for: key, replacing: generation)
        }

        func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await base.lease(for: key) }
        func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
            base.changes(in: collection)
        }
    }

    @Test("A note is as old as the store says, whatever the clock of its reader says", arguments: [-600.0, 0, 600])
    func note(ahead: TimeInterval) {
        let sent = fixture.clock.now
        let (note, here) = (RefreshIntent(generation: 1, sentAt: sent, token: "t"), sent + ahead)
        for (age, isOver) in [(Duration.seconds(1), false), (.seconds(29), false), (.seconds(31), true)] {
            let now = here + age.timeInterval
            #expect(note.read(at: now, age: age).isOver(at: now, hasSenderEnded: false) == isOver)
        }
        let pause = RefreshPause(
            .askedToWait, TestError(), length: .seconds(90), policy: .never, at: sent + 5, after: nil)
        let ended = note.unspent(until: pause, knownBefore: nil)
        for (age, holds) in [(Duration.zero, true), (.seconds(89), true), (.seconds(91), false)] {
            let now = here + 5 + age.timeInterval
            #expect(ended.read(at: now, age: age).pause?.holds(at: now) == holds)
        }
        // On one machine, and in notes of earlier versions.
        #expect(note.read(at: here, age: nil) == note)
    }

    @Test("Ages add up over notes of several machines: a window counts from the first sending")
    func window() {
        let (here, there) = (fixture.clock.now, fixture.clock.now + 600)
        let first = RefreshIntent(generation: 1, sentAt: here, token: "t")
        let second = RefreshIntent(
            generation: 1, sentAt: there + 20, token: "t", after: first.read(at: there + 20, age: .seconds(20)))
        let third = second.read(at: here + 30, age: .seconds(10))
        #expect(abs(third.firstSentAt.timeIntervalSince(here)) < 0.001)
        #expect(abs(third.sentAt.timeIntervalSince(here + 20)) < 0.001)
    }

    @Test("A note that is stored again after the refusal of a resource is as old as it was")
    func storedAgain() async throws {
        let (store, account, first) = (Store(clock: clock), fixture.account, clock.now)
        let intents = RefreshIntents(store: store)
        _ = try await intents.write(
            RefreshIntent(generation: 1, sentAt: first, token: "t"), for: account,
            replacing: RefreshIntents.Entry(generation: 0, intent: nil))
        clock.advance(by: .seconds(20))
        let entry = try await intents.entry(for: account, at: clock.now)
        let record = LeasedRecord(
            account: account, lease: try #require(try await store.lease(for: .account(account))), end: nil,
            store: store, deadline: Deadline.ofRefresh(within: nil, time: clock.dates))
        let note = RefreshNote(
            of: (1, nil, "t"), record, replacing: entry, after: entry.intent,
            issuer: IssuerPause.Entry(nil, at: clock.now), monitor: RefreshMonitor())
        await note.takeBackAnswered()
        clock.advance(by: .seconds(20))
        let stored = try #require(try await intents.entry(for: account, at: clock.now).intent)
        #expect(abs(stored.firstSentAt.timeIntervalSince(first)) < 0.001)
        #expect(abs(stored.sentAt.timeIntervalSince(first)) < 0.001)
    }

    @Test("A server that asks to wait is left alone by a machine whose clock is ahead", arguments: [-600.0, 600])
    func asksToWait(ahead: TimeInterval) async throws {
        let (store, elsewhere) = (Store(clock: clock), ManualClock(start: fixture.clock.now + ahead))
        let here = fixture.sessions(store: store)
        try await here.begin(fixture.credential(lifetime: 1), for: fixture.account)
        for clock in [fixture.clock, clock, elsewhere] { clock.advance(by: .seconds(3600)) }
        fixture.backend.script(.askToWait(.seconds(90)))
        let there = fixture.sessions(store: store, time: elsewhere.dates)
        #expect(await fixture.failureCode(here) == "slow_down")
        #expect(await fixture.failureCode(there) == "refresh_postponed")
        for clock in [clock, elsewhere] { clock.advance(by: .seconds(91)) }
        #expect(try await fixture.token(there) == "token-1")
    }
}
