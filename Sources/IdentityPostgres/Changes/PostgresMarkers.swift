#if PostgreSQL
import Foundation
import IdentityKit

/// The markers of records. A marker is a number that changes whenever its record changes, and that is valid only while this
/// program receives every change.
///
/// A cached session is used without a round trip while its marker is valid and stays the same. All markers become invalid
/// a limited time after the last poll that the server answered. For that time at most, this program may still hand out a
/// token after a sign-out on another machine.
final class PostgresMarkers: Sendable {
    private struct State: Sendable {
        /// A number that rises by one whenever changes may have been missed.
        var epoch: UInt64 = 0
        var isFollowing = false
        var losses = 0
        var entries: [StoreKey: Entry] = [:]
        var cleanAt = 1_024
    }

    private struct Entry: Sendable {
        weak var marker: PostgresMarker?
        /// The value of the marker while it is valid. Begins at 1, and rises by one with each known change of the record
        /// and whenever changes may have been missed.
        var count: UInt64 = 1
        /// The known generation of the record, zero for an absent record; `nil` while unknown. Stays known after the
        /// marker is released, until unused entries are removed or changes may have been missed.
        var generation: UInt64?
    }

    private let state = Locked(State())
    private let validUntil = AtomicUInt64()

    /// The current epoch; `nil` while changes are not received. Get the epoch before a read or write of a record, and
    /// pass it with the generation to ``note(_:of:since:)``. If changes may have been missed meanwhile, that call has
    /// no effect.
    var epoch: UInt64? { state.withLock { $0.isFollowing ? $0.epoch : nil } }

    /// The number of times that `PostgresWatch` may have missed changes. A failed attempt to connect again does not count as
    /// another time.
    var losses: Int { state.withLock { $0.losses } }

    /// Returns the marker of a record. All callers share the marker until they have released it.
    /// - Parameters:
    ///   - key: the key of the record.
    ///   - look: reads the record, and passes the record's generation to ``note(_:of:since:)``. A task that waits for a change
    ///     calls it.
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

    /// Records the generation of a record that was read or written, and changes its marker if the generation is new. Does
    /// nothing if the record has no entry, or if changes may have been missed since `epoch`.
    /// - Parameters:
    ///   - generation: the generation; zero if the record is absent.
    ///   - key: the key of the record.
    ///   - epoch: the value of ``epoch`` before the read or write.
    func note(_ generation: UInt64, of key: StoreKey, since epoch: UInt64?) {
        state.withLock { state in
            guard let epoch, state.isFollowing, state.epoch == epoch, var entry = state.entries[key] else { return }
            // A lower generation comes from an older read, except zero, which means that the record was removed. After
            // zero, any generation is new.
            if let known = entry.generation, generation == known || 0 < generation && generation < known { return }
            // The first known generation counts as a change, because another caller may have read an earlier generation.
            entry.generation = generation
            entry.count += 1
            entry.marker?.show(entry.count)
            state.entries[key] = entry
        }
    }

    /// Records a change that the watch has found in the database.
    func note(_ change: StoreChange) {
        note(change.generation, of: change.key, since: epoch)
    }

    /// Makes the markers valid, unless they are. Called by the watch when it receives every change from now on.
    func follow() {
        state.withLock { state in
            guard !state.isFollowing else { return }
            state.isFollowing = true
            for entry in state.entries.values { entry.marker?.show(entry.count) }
        }
    }

    /// Extends the validity of the markers after the server has answered a poll.
    /// - Parameter instant: the end of the validity, as a value of `ContinuousTime`.
    func extend(until instant: UInt64) { validUntil.value = instant }

    /// Makes all markers invalid and forgets the known generations. Called by the watch when it may have missed changes.
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

/// The marker of one record: a number that changes with the record. Zero while changes are not received, or when the server
/// has not answered a poll for too long.
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

    /// Suspends for `pause`, and then reads the record, because the read can find a change before the next poll of the watch
    /// does. Meant for a caller that waits until another machine has refreshed a session.
    /// - Returns: `false` at once when the marker is zero; `true` at once, without reading the record, when the marker differs
    ///   from `value`; in all other cases `true` after the pause. A cancellation ends the pause, and the record is then not
    ///   read.
    func change(from value: UInt64, atMost pause: Duration) async -> Bool {
        let current = self.value
        guard current != 0 else { return false }
        guard current == value else { return true }
        if (try? await Task.sleep(for: pause)) != nil { await look() }
        return true
    }

    fileprivate func show(_ value: UInt64) { word.value = value }
}
#endif
