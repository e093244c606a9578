import Foundation

/// A store in memory, for tests, previews and short-lived tools.
public final class MemoryTokenStore: TokenStore {
    private struct State: Sendable {
        var records: [StoreKey: StoreRecord] = [:]
        var markers: [StoreKey: Marker] = [:]
    }

    private let state = Locked(State())
    private let leases = ProcessLeases()
    private let feed = ChangeFeed()

    /// An empty store.
    public init() {}

    /// The record under `key`.
    /// - Throws: nothing.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        currentRecord(for: key)
    }

    func currentRecord(for key: StoreKey) -> StoreRecord? { state.withLock { $0.records[key] } }

    /// The records of a collection.
    /// - Throws: nothing.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        listing(of: collection)
    }

    func listing(of collection: StoreKey.Collection) -> StoreListing {
        StoreListing(records: state.withLock { $0.records.values.filter { $0.key.collection == collection } })
    }

    /// Compare-and-swap on the generation.
    /// - Throws: ``TokenStoreError/conflict(_:current:)``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        let record = try state.withLock { state in
            let current = state.records[key]?.generation ?? 0
            guard current == generation else { throw TokenStoreError.conflict(key, current: current) }
            let record = StoreRecord(key: key, generation: current + 1, content: content)
            state.records[key] = record
            state.markers[key]?.generation.withLock { $0 = record.generation + 1 }
            return record
        }
        feed.send(StoreChange(record))
        return record
    }

    /// The lease on `key`, when it is free.
    /// - Throws: nothing.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        leases.lease(for: key, of: self)
    }

    /// The changes from now on.
    public func changes() -> AsyncStream<StoreChange> {
        feed.stream()
    }

    /// The changes of one collection from now on.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> {
        feed.stream(of: collection)
    }

    /// A number that is higher by one with each write.
    public func marker(for key: StoreKey) -> (any StoreVersion)? {
        state.withLock { state in
            if let marker = state.markers[key] { return marker }
            let marker = Marker(generation: Locked((state.records[key]?.generation ?? 0) + 1))
            state.markers[key] = marker
            return marker
        }
    }

    /// Counts from one, because zero means unknown.
    private struct Marker: StoreVersion {
        let generation: Locked<UInt64>

        var value: UInt64 { generation.withLock { $0 } }
    }
}
