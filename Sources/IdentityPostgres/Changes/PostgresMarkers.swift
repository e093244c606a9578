#if PostgreSQL
import Foundation
import IdentityKit

/// Whether records have changed, for as long as this program hears of every change.
///
/// A cached session is used without a round trip while its marker stays the same. The markers are valid for a limited time
/// after the server was last heard of: this is how long another machine may hand out a token after a sign-out.
final class PostgresMarkers: Sendable {
    private struct State: Sendable {
        /// Rises whenever changes may have been missed.
        var epoch: UInt64 = 0
        var isFollowing = false
        var losses = 0
        var entries: [StoreKey: Entry] = [:]
        var cleanAt = 1_024
    }

    private struct Entry: Sendable {
        weak var marker: PostgresMarker?
        /// How often the record has changed, as far as this program knows, and one more.
        var count: UInt64 = 1
        /// The generation that is known; `nil` while none is. It stays known when the marker is let go.
        var generation: UInt64?
    }

    private let state = Locked(State())
    private let validUntil = AtomicUInt64()

    /// The epoch before a read, to be given with what it found; `nil` while changes are not heard of.
    var epoch: UInt64? { state.withLock { $0.isFollowing ? $0.epoch : nil } }

    /// How often changes may have been missed.
    var losses: Int { state.withLock { $0.losses } }

    /// The marker of a record.
    /// - Parameter look: reads the record and notes its generation, for a task that waits for a change.
    func marker(for key: StoreKey, _ look: @escaping PostgresMarker.Look) -> PostgresMarker {
        state.withLock { state in
            if let marker = state.entries[key]?.marker { return marker }
            if state.entries.count >= state.cleanAt {
                state.entries = state.entries.filter { $0.value.marker != nil }
                state.cleanAt = max(1_024, state.entries.count * 2)
            }
            let marker = PostgresMarker(validUntil, look)
            state.entries[key, default: Entry()].marker = marker
            if state.isFollowing { marker.show(state.entries[key]?.count ?? 0) }
            return marker
        }
    }

    /// Notes the generation of a record that was read or written.
    /// - Parameter epoch: ``epoch`` from before that.
    func note(_ generation: UInt64, of key: StoreKey, since epoch: UInt64?) {
        state.withLock { state in
            guard let epoch, state.isFollowing, state.epoch == epoch, var entry = state.entries[key] else { return }
            // Zero says that there is no record: the next one begins anew.
            if let known = entry.generation, generation == known || 0 < generation && generation < known { return }
            // The first known generation counts as a change, because another read may have found an earlier one.
            entry.generation = generation
            entry.count += 1
            entry.marker?.show(entry.count)
            state.entries[key] = entry
        }
    }

    /// Notes a change that this program was told of.
    func note(_ change: StoreChange) {
        note(change.generation, of: change.key, since: epoch)
    }

    /// From now on every change is heard of.
    func follow() {
        state.withLock { state in
            state.isFollowing = true
            for entry in state.entries.values { entry.marker?.show(entry.count) }
        }
    }

    /// The server was heard of: the markers are valid until `instant`.
    func extend(until instant: UInt64) { validUntil.value = instant }

    /// Changes may have been missed.
    func forget() {
        validUntil.value = 0
        state.withLock { state in
            if state.isFollowing { state.losses += 1 }
            state.isFollowing = false
            state.epoch += 1
            for key in state.entries.keys {
                state.entries[key]?.generation = nil
                state.entries[key]?.count += 1
                state.entries[key]?.marker?.show(0)
            }
        }
    }
}

/// The marker of one record: a number that changes with it. Zero while changes are not heard of.
final class PostgresMarker: AwaitableStoreVersion {
    typealias Look = @Sendable () async -> Void

    private let word = AtomicUInt64()
    private let validUntil: AtomicUInt64
    private let look: Look

    fileprivate init(_ validUntil: AtomicUInt64, _ look: @escaping Look) {
        self.validUntil = validUntil
        self.look = look
    }

    var value: UInt64 {
        let value = word.value
        return value != 0 && ContinuousTime.now < validUntil.value ? value : 0
    }

    /// Waiters for another machine's refresh look at this one record, more often than changes are asked for.
    func change(from value: UInt64, atMost pause: Duration) async -> Bool {
        guard self.value == value, value != 0 else { return false }
        if (try? await Task.sleep(for: pause)) != nil { await look() }
        return true
    }

    fileprivate func show(_ value: UInt64) { word.value = value }
}
#endif
