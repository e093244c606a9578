import Foundation
import IdentityKit
import Synchronization

/// Leases, listeners and versions: all that a store says at once, without waiting for its actor.
final class NoticeBoard: Sendable {
    private struct State {
        var leased: Set<StoreKey> = []
        var listeners: [UUID: (collection: StoreKey.Collection?, AsyncStream<StoreChange>.Continuation)] = [:]
        var versions: [StoreKey: UInt64] = [:]
    }

    private let state = Mutex(State())

    /// Whether nobody else has the lease on `key`.
    func take(_ key: StoreKey) -> Bool { state.withLock { $0.leased.insert(key).inserted } }

    func giveBack(_ key: StoreKey) { state.withLock { _ = $0.leased.remove(key) } }

    /// Begins with one, because zero means unknown.
    func version(of key: StoreKey) -> UInt64 { state.withLock { $0.versions[key] ?? 1 } }

    func announce(_ record: StoreRecord) {
        let listeners = state.withLock { state in
            state.versions[record.key] = record.generation + 1
            return state.listeners.values.filter { $0.collection ?? record.key.collection == record.key.collection }
        }
        let change = StoreChange(
            key: record.key, generation: record.generation, hasContent: record.content != nil)
        for (_, listener) in listeners { listener.yield(change) }
    }

    /// The changes of one collection, or of all.
    func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        let (stream, listener) = AsyncStream.makeStream(of: StoreChange.self, bufferingPolicy: .bufferingNewest(64))
        let id = UUID()
        listener.onTermination = { [weak self] _ in self?.forget(id) }
        state.withLock { $0.listeners[id] = (collection, listener) }
        return stream
    }

    private func forget(_ id: UUID) { state.withLock { $0.listeners[id] = nil } }
}

/// Version of one record.
struct RecordVersion: StoreVersion {
    let key: StoreKey
    let board: NoticeBoard

    var value: UInt64 { board.version(of: key) }
}
