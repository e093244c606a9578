import Foundation

/// A store in memory, for tests, previews and short-lived tools.
public final class MemoryTokenStore: TokenStore {
    private struct Entry: Sendable {
        var record: StoreRecord?
        var marker: Marker?
    }

    private let entries = Locked<[StoreKey: Entry]>([:])
    /// Of all markers, so that none has a mutex of its own.
    private let markerLock = Locked(())
    private let leases = ProcessLeases()
    private let feed = ChangeFeed()

    /// An empty store.
    public init() {}

    /// The record under `key`.
    /// - Throws: nothing.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        currentRecord(for: key)
    }

    package func currentRecord(for key: StoreKey) -> StoreRecord? { entries.withLock { $0[key]?.record } }

    /// The records of a collection.
    /// - Throws: nothing.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        listing(of: collection)
    }

    package func listing(of collection: StoreKey.Collection) -> StoreListing {
        let records = entries.withLock { $0.values.compactMap(\.record) }
        return StoreListing(records: records.filter { $0.key.collection == collection })
    }

    /// Compare-and-swap on the generation.
    /// - Throws: ``TokenStoreError/conflict(_:current:)``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try replaceRecord(content, for: key, replacing: generation)
    }

    package func replaceRecord(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) throws -> StoreRecord {
        let record = try entries.withLock { entries in
            let current = entries[key]?.record?.generation ?? 0
            guard current == generation else { throw TokenStoreError.conflict(key, current: current) }
            let record = StoreRecord(key: key, generation: current + 1, content: content)
            entries[key, default: Entry()].record = record
            entries[key]?.marker?.value = record.generation + 1
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
        entries.withLock { entries in
            if let marker = entries[key]?.marker { return marker }
            let marker = Marker((entries[key]?.record?.generation ?? 0) + 1, markerLock)
            entries[key, default: Entry()].marker = marker
            return marker
        }
    }

    /// Counts from one, because zero means unknown.
    private final class Marker: StoreVersion, @unchecked Sendable {
        // Unchecked is sound: the count is read and written only while the lock is held.
        private var count: UInt64
        private let lock: Locked<Void>

        init(_ count: UInt64, _ lock: Locked<Void>) {
            self.count = count
            self.lock = lock
        }

        var value: UInt64 {
            get { lock.withLock { _ in count } }
            set { lock.withLock { _ in count = newValue } }
        }
    }
}
