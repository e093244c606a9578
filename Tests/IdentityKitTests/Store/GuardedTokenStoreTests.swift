import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// Sessions that open only for a person who is there.
@Suite(.endsInTime) struct GuardedTokenStoreTests {
    private let clock = ManualClock()
    private let person = Person()
    private let base = MemoryTokenStore()
    private let key = StoreKey(.accounts, "work/ada")
    private let store: GuardedTokenStore

    init() async throws {
        store = GuardedTokenStore(
            base, check: person, reason: "to sign in", validFor: .seconds(300), time: clock.timeSource)
        try await base.write(Data("session".utf8), for: key, replacing: 0)
    }

    private func code(_ body: () async throws -> some Sendable) async -> String? {
        await FileStoreFixture.failureCode(body)
    }

    /// Its marker says nothing while it is closed, on purpose, so what a marker promises is asked below.
    private static let checks = TokenStoreConformance.checks.filter { !$0.description.hasPrefix("A marker") }

    @Test("A guarded store conforms while the person is there", arguments: checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let base = MemoryTokenStore()
        try await check.run { GuardedTokenStore(base, check: person, reason: "", time: clock.timeSource) }
    }

    @Test("One answer is good for a while, and then the person is asked again")
    func asksOnce() async throws {
        #expect(try await store.record(for: key)?.content == Data("session".utf8))
        _ = try await store.records(in: .accounts)
        #expect(person.timesAsked == 1)
        clock.advance(by: .seconds(300))
        _ = try await store.record(for: key)
        #expect(person.timesAsked == 2)
        store.close()
        _ = try await store.record(for: key)
        #expect(person.timesAsked == 3)
    }

    @Test("However many ask at once, the person is asked once")
    func asksOnceForAll() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { _ = try await store.record(for: key) } }
            try await group.waitForAll()
        }
        #expect(person.timesAsked == 1)
    }

    @Test("The question ends when nobody waits for it any more, and not before")
    func abandoned() async throws {
        let check = WaitingCheck()
        let store = GuardedTokenStore(base, check: check, reason: "", time: clock.timeSource)
        let first = Task { try await store.record(for: key) }
        await check.isAsked()
        let second = Task { try await store.record(for: key) }
        while store.waiterCount < 2 { await Task.yield() }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(!check.isDismissed && store.waiterCount == 1)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        await check.waitForDismissal()
        #expect(check.isDismissed)
    }

    @Test("A person who refuses leaves the store locked, not empty, and is asked again the next time")
    func refused() async throws {
        person.refuse(with: CancellationError())
        #expect(await code { try await store.record(for: key) } == "store_locked")
        person.refuse(with: TestFailure())
        #expect(await code { try await store.records(in: .accounts) } == "store_locked")
        person.refuse(with: nil)
        #expect(try await store.record(for: key)?.content == Data("session".utf8))
        #expect(person.timesAsked == 3)
    }

    @Test("A refusal opens nothing for later, nor for those who asked with it")
    func refusalStays() async throws {
        person.refuse(with: CancellationError())
        #expect(await code { try await store.record(for: key) } == "store_locked")
        #expect(try #require(store.marker(for: key)).value == 0)
        #expect(await code { try await store.record(for: key) } == "store_locked")
        #expect(person.timesAsked == 2)
    }

    @Test("The reason that the person reads is the app's")
    func reason() async throws {
        _ = try await store.record(for: key)
        #expect(person.reasons == ["to sign in"])
    }

    @Test("Nobody is asked for what is not a session, nor for storing a refresh")
    func asksForSessionsOnly() async throws {
        _ = try await store.record(for: StoreKey(.accounts, "work/nobody"))
        _ = try await store.record(for: StoreKey(.device, "token"))
        try await store.write(Data("refreshed".utf8), for: key, replacing: 1)
        try await store.write(nil, for: key, replacing: 2)
        _ = try await store.record(for: key)
        #expect(person.timesAsked == 0)
    }

    @Test("A closed store says nothing of what was read before")
    func markerSaysNothing() async throws {
        let marker = try #require(store.marker(for: key))
        #expect(marker.value == 0)
        _ = try await store.record(for: key)
        #expect(marker.value != 0)
        clock.advance(by: .seconds(300))
        #expect(marker.value == 0)
    }

    @Test("A clock that is set back opens nothing")
    func clockSetBack() async throws {
        _ = try await store.record(for: key)
        clock.advance(by: .seconds(-86_400))
        _ = try await store.record(for: key)
        #expect(person.timesAsked == 2)
    }
}

/// A person at the device.
private final class Person: PresenceCheck {
    private let state = Locked<(reasons: [String], refusal: (any Error)?)>(([], nil))

    var timesAsked: Int { reasons.count }
    var reasons: [String] { state.withLock { $0.reasons } }

    func refuse(with error: (any Error)?) {
        state.withLock { $0.refusal = error }
    }

    func confirm(reason: String) async throws {
        let refusal = state.withLock { state in
            state.reasons.append(reason)
            return state.refusal
        }
        if let refusal { throw refusal }
    }
}

/// A person who says nothing.
private final class WaitingCheck: PresenceCheck {
    private let dismissed = Locked(false)
    private let (questions, asks) = AsyncStream.makeStream(of: Void.self)
    private let (dismissals, dismisses) = AsyncStream.makeStream(of: Void.self)

    var isDismissed: Bool { dismissed.withLock { $0 } }
    func isAsked() async { for await _ in questions { return } }
    func waitForDismissal() async { for await _ in dismissals { return } }

    func confirm(reason: String) async throws {
        asks.yield()
        for await _ in AsyncStream<Void>.makeStream().stream {}
        dismissed.withLock { $0 = true }
        dismisses.yield()
        throw CancellationError()
    }
}
