import Foundation

/// A store in memory, for tests, previews and short-lived tools.
public final class MemoryTokenStore: TokenStore {
    private struct Entry: Sendable {
        var record: StoreRecord?
        /// The index of the record's version counter in `counts`; `nil` until ``marker(for:)`` is called for the record.
        var marker: Int?
    }

    private let entries = Locked<[StoreKey: Entry]>([:])
    /// The values of all version counters, under one lock to save a mutex for each. Each value is the record's generation
    /// plus one, because ``StoreVersion/value`` is zero when it is unknown.
    private let counts = Locked<[UInt64]>([])
    private let leases = ProcessLeases()
    private let feed = ChangeFeed()

    public init() {}

    /// Returns the record under `key`, without content if it was erased; `nil` if it was never written.
    /// - Throws: nothing.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        currentRecord(for: key)
    }

    package func currentRecord(for key: StoreKey) -> StoreRecord? { entries.withLock { $0[key]?.record } }

    /// Returns all records of a collection, including erased ones. The listing never contains failures.
    /// - Throws: nothing.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        listing(of: collection)
    }

    package func listing(of collection: StoreKey.Collection) -> StoreListing {
        let records = entries.withLock { $0.values.compactMap(\.record) }
        return StoreListing(records: records.filter { $0.key.collection == collection })
    }

    /// Replaces the content if the record's generation is still `generation`.
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
            if let marker = entries[key]?.marker { counts.withLock { $0[marker] = record.generation + 1 } }
            return record
        }
        feed.send(StoreChange(record))
        return record
    }

    /// Claims the lease on `key`. The lease lasts until it is released or deallocated.
    /// - Returns: `nil` while another caller holds the lease.
    /// - Throws: nothing.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        leases.lease(for: key, of: self)
    }

    /// Returns the changes from now on: those of one collection, or with `nil` those of all collections. A slow listener
    /// receives only the newest 16,384 of them.
    public func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        feed.stream(of: collection)
    }

    /// Returns the version counter of the record under `key`, which each write increases by one; never `nil`.
    public func marker(for key: StoreKey) -> (any StoreVersion)? {
        let place = entries.withLock { entries in
            if let place = entries[key]?.marker { return place }
            let place = counts.withLock { counts in
                counts.append((entries[key]?.record?.generation ?? 0) + 1)
                return counts.count - 1
            }
            entries[key, default: Entry()].marker = place
            return place
        }
        return Marker(place: place, counts: counts)
    }

    private struct Marker: StoreVersion {
        let place: Int
        let counts: Locked<[UInt64]>

        var value: UInt64 { counts.withLock { $0[place] } }
    }
}
