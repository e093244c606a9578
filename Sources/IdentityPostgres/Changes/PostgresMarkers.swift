#if PostgreSQL
import Foundation
import IdentityKit

/// The markers of records, which are valid as long as this program is informed of every change.
///
/// A cached session is used without a round trip while its marker stays the same. The markers are valid for a limited
/// time after the server was last heard of: that time is how long another machine may hand out a token after a
/// sign-out.
final class PostgresMarkers: Sendable {
    private struct State: Sendable {
        /// Number that rises whenever changes may have been missed.
        var epoch: UInt64 = 0
        var isFollowing = false
        var losses = 0
        var entries: [StoreKey: Entry] = [:]
        var cleanAt = 1_024
    }

    private struct Entry: Sendable {
        weak var marker: PostgresMarker?
        /// Number of known changes of the record, plus one.
        var count: UInt64 = 1
        /// The known generation; `nil` while unknown. Stays known after the marker is released.
        var generation: UInt64?
    }

    private let state = Locked(State())
    private let validUntil = AtomicUInt64()

    /// The epoch to record before a read, and to pass on with its result; `nil` while changes are not received.
    var epoch: UInt64? { state.withLock { $0.isFollowing ? $0.epoch : nil } }

    /// Number of times that changes may have been missed.
    var losses: Int { state.withLock { $0.losses } }

    /// The marker of a record.
    /// - Parameter look: reads the record and records its generation, for a task that waits for a change.
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

    /// Records the generation of a record that was read or written.
    /// - Parameter epoch: ``epoch`` from before the read or write.
    func note(_ generation: UInt64, of key: StoreKey, since epoch: UInt64?) {
        state.withLock { state in
            guard let epoch, state.isFollowing, state.epoch == epoch, var entry = state.entries[key] else { return }
            // Zero means that there is no record, so a new one may have a lower generation.
            if let known = entry.generation, generation == known || 0 < generation && generation < known { return }
            // The first known generation counts as a change, because another read may have found an earlier one.
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

    /// Called when every change is received from now on.
    func follow() {
        state.withLock { state in
            state.isFollowing = true
            for entry in state.entries.values { entry.marker?.show(entry.count) }
        }
    }

    /// Extends the validity of the markers to `instant`, after an answer of the server.
    func extend(until instant: UInt64) { validUntil.value = instant }

    /// Called when changes may have been missed.
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

/// The marker of one record: a number that changes with the record. Zero while changes are not received.
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

    /// Polls this record more often than changes are polled, because the caller waits for another machine's refresh.
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
