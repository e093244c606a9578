import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// How a process learns what others changed in the Keychain.
@Suite(.endsInTime) struct KeychainSignalTests {
    private let keychain = FakeKeychain()
    private let clock = ManualClock()
    private let key = StoreKey(.accounts, "work/ada")

    /// A store that looks by itself once an hour, on a clock that nobody moves unless a test does.
    private func open(_ signal: (any KeychainSignal)?) -> KeychainTokenStore {
        KeychainTokenStore(
            keychain, service: "test", signal: signal, lookingEvery: .seconds(3600), time: clock.timeSource)
    }

    @Test("A signal is heard without waiting for the next look")
    func heard() async throws {
        let signal = FakeSignal()
        let (ours, theirs) = (open(signal), open(signal))
        var changes = ours.changes(in: nil).makeAsyncIterator()
        try await theirs.write(Data("1".utf8), for: key, replacing: 0)
        #expect(await changes.next()?.generation == 1)
        try await theirs.write(nil, for: key, replacing: 1)
        #expect(await changes.next()?.generation == 2)
    }

    @Test("A signal that is lost is made up for by the next look")
    func lost() async throws {
        let (ours, theirs) = (open(FakeSignal()), open(nil))
        var changes = ours.changes(in: nil).makeAsyncIterator()
        try await theirs.write(Data("1".utf8), for: key, replacing: 0)
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(3600))
        #expect(await changes.next()?.generation == 1)
    }

    @Test("A change that cannot be read at first is told later")
    func unreadable() async throws {
        let signal = FakeSignal()
        let (ours, theirs) = (open(signal), open(nil))
        var changes = ours.changes(in: nil).makeAsyncIterator()
        try await theirs.write(Data("1".utf8), for: key, replacing: 0)
        let isRead = Locked(false)
        keychain.beforeNextItem { keychain in
            keychain.failNext(.notAvailable)
            isRead.withLock { $0 = true }
        }
        signal.send()
        while !isRead.withLock({ $0 }) { await Task.yield() }
        signal.send()
        #expect(await changes.next()?.generation == 1)
    }

    @Test("A change of one's own is told once, although it is signalled to everybody")
    func own() async throws {
        let signal = FakeSignal()
        let store = open(signal)
        var changes = store.changes(in: nil).makeAsyncIterator()
        for generation in 0..<3 as Range<UInt64> {
            try await store.write(Data(), for: key, replacing: generation)
            #expect(await changes.next()?.generation == generation + 1)
        }
    }

    @Test("Whoever sets a damaged record aside signals it too")
    func quarantine() async throws {
        let signal = FakeSignal()
        let (ours, theirs) = (open(signal), open(signal))
        try await ours.write(Data("a".utf8), for: key, replacing: 0)
        let name = try #require(keychain.items.keys.first { $0.service == "test" })
        keychain.replace(name, with: KeychainItem(tag: Data("1".utf8), value: Data("nonsense".utf8)))
        var changes = ours.changes(in: nil).makeAsyncIterator()
        try await theirs.quarantine(key)
        #expect(await changes.next()?.key == key)
    }

    @Test("Nobody is listened to when nobody listens")
    func ends() async throws {
        let signal = FakeSignal()
        let store = open(signal)
        #expect(signal.listenerCount == 0)
        let listening = Task {
            for await _ in store.changes(in: nil) {}
        }
        while signal.listenerCount == 0 { await Task.yield() }
        listening.cancel()
        await listening.value
        while signal.listenerCount > 0 { await Task.yield() }
    }
}

/// A signal within this process.
private final class FakeSignal: KeychainSignal {
    private let listeners = Locked<[UUID: @Sendable () -> Void]>([:])

    var listenerCount: Int { listeners.withLock { $0.count } }

    func send() {
        for listener in listeners.withLock({ Array($0.values) }) { listener() }
    }

    func listen(_ body: @escaping @Sendable () -> Void) -> any Sendable {
        let id = UUID()
        listeners.withLock { $0[id] = body }
        return Listening { [weak self] in self?.listeners.withLock { _ = $0.removeValue(forKey: id) } }
    }

    private final class Listening: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }
}
