#if PostgreSQL
import Foundation
import IdentityKit
import MemoryWait

/// The generations of records that this program knows, for as long as it hears of every change.
///
/// A cached session is used without a round trip while its marker stays the same. The markers are valid for a limited time
/// after the server was last heard of: this is how long another machine may hand out a token after a sign-out.
final class PostgresMarkers: Sendable {
    private struct State: Sendable {
        /// Rises whenever changes may have been missed.
        var epoch: UInt64 = 0
        var isFollowing = false
        var markers: [StoreKey: Reference] = [:]
        var cleanAt = 1_024
    }

    private struct Reference: Sendable {
        weak var marker: PostgresMarker?
    }

    private let state = Locked(State())
    private let validUntil = SharedWord()
    private let waiters = TimedWaiters<StoreKey>()

    /// What is known before a read, to be given with what it found; `nil` while changes are not heard of.
    var epoch: UInt64? { state.withLock { $0.isFollowing ? $0.epoch : nil } }

    /// The marker of a record.
    func marker(for key: StoreKey) -> PostgresMarker {
        state.withLock { state in
            if let marker = state.markers[key]?.marker { return marker }
            let marker = PostgresMarker(key, validUntil: validUntil, waiters: waiters)
            if state.markers.count >= state.cleanAt {
                state.markers = state.markers.filter { $0.value.marker != nil }
                state.cleanAt = max(1_024, state.markers.count * 2)
            }
            state.markers[key] = Reference(marker: marker)
            return marker
        }
    }

    /// Notes the generation of a record that was read or written.
    /// - Parameter epoch: ``epoch`` from before the read.
    func note(_ generation: UInt64, of key: StoreKey, since epoch: UInt64?) {
        state.withLock { state in
            guard let epoch, state.isFollowing, state.epoch == epoch else { return }
            state.markers[key]?.marker?.rise(to: generation + 1)
        }
        waiters.wake(key)
    }

    /// Notes a change that this program was told of.
    func note(_ change: StoreChange) {
        note(change.generation, of: change.key, since: epoch)
    }

    /// From now on every change is heard of.
    func follow() {
        state.withLock { $0.isFollowing = true }
    }

    /// The server was heard of: the markers are valid until `instant`.
    func extend(until instant: UInt64) { validUntil.value = instant }

    /// Changes may have been missed.
    func forget() {
        validUntil.value = 0
        state.withLock { state in
            state.isFollowing = false
            state.epoch += 1
            for reference in state.markers.values { reference.marker?.forget() }
        }
    }
}

/// The marker of one record: its generation and one more. Zero while that is not known.
final class PostgresMarker: AwaitableStoreVersion {
    private let key: StoreKey
    private let word = SharedWord()
    private let validUntil: SharedWord
    private let waiters: TimedWaiters<StoreKey>

    fileprivate init(_ key: StoreKey, validUntil: SharedWord, waiters: TimedWaiters<StoreKey>) {
        self.key = key
        self.validUntil = validUntil
        self.waiters = waiters
    }

    var value: UInt64 {
        let value = word.value
        return value != 0 && SharedWord.now < validUntil.value ? value : 0
    }

    func change(from value: UInt64, atMost pause: Duration) async -> Bool {
        guard self.value == value, value != 0 else { return false }
        await waiters.wait(for: key, atMost: pause) { self.value != value }
        return true
    }

    fileprivate func rise(to value: UInt64) { word.value = max(word.value, value) }
    fileprivate func forget() { word.value = 0 }
}

/// A number that many tasks read without a lock.
final class SharedWord: @unchecked Sendable {
    // Unchecked is sound: the word is read and written atomically, and nothing else is in the object.
    private let word: UnsafeMutablePointer<UInt64>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit { word.deallocate() }

    var value: UInt64 {
        get { memory_load(word) }
        set { memory_store(word, newValue) }
    }

    /// The nanoseconds of a clock that goes on while the machine is suspended.
    static var now: UInt64 {
        let (seconds, attoseconds) = origin.duration(to: .now).components
        return UInt64(seconds) &* 1_000_000_000 &+ UInt64(attoseconds) / 1_000_000_000
    }

    /// Earlier than any moment that is compared, so that no number is negative.
    private static let origin = ContinuousClock.now - .seconds(3_600)
}
#endif
