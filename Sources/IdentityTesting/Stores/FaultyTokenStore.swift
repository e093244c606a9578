import Foundation
import IdentityKit

/// A store whose operations fail as a test sets it up, as with a full disk, a locked device or a conflict.
public final class FaultyTokenStore: TokenStore {
    /// What can fail.
    public enum Operation: Sendable, Hashable {
        /// Reading one record.
        case read
        /// Listing a collection.
        case list
        /// Any write, also through a lease.
        case write
        /// A write that succeeds, also through a lease, but throws to its caller.
        case acknowledge
        /// Taking a lease.
        case lease
    }

    private struct Fault: Sendable {
        let operation: Operation
        let collection: StoreKey.Collection?
        let error: any Error
        var remaining: Int
        var skipped: Int
    }

    private let base: any TokenStore
    private let faults = Locked<[Fault]>([])
    private let counts = Locked<[Operation: [StoreKey.Collection: Int]]>([:])

    /// Wraps `base`.
    public init(_ base: any TokenStore = MemoryTokenStore()) {
        self.base = base
    }

    /// Makes operations fail.
    /// - Parameters:
    ///   - operation: what fails.
    ///   - collection: where; `nil` for everywhere.
    ///   - error: what is thrown.
    ///   - times: how often.
    ///   - skipped: how many succeed before.
    public func fail(
        _ operation: Operation, in collection: StoreKey.Collection? = nil, with error: any Error,
        times: Int = .max, after skipped: Int = 0
    ) {
        faults.withLock {
            $0.append(
                Fault(operation: operation, collection: collection, error: error, remaining: times, skipped: skipped))
        }
    }

    /// Removes all faults.
    public func heal() { faults.withLock { $0 = [] } }

    /// The number of calls, including those that failed.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - collection: where; `nil` for everywhere.
    public func count(of operation: Operation, in collection: StoreKey.Collection? = nil) -> Int {
        let counts = counts.withLock { $0[operation] ?? [:] }
        return collection.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
    }

    /// Reads, or fails.
    /// - Throws: the error of a fault, otherwise what the base throws.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        try pass(.read, key.collection)
        return try await base.record(for: key)
    }

    /// Lists, or fails.
    /// - Throws: the error of a fault, otherwise what the base throws.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try pass(.list, collection)
        return try await base.records(in: collection)
    }

    /// Lists a page, or fails.
    /// - Throws: the error that was asked for, otherwise what the base throws.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StorePage {
        try pass(.list, collection)
        return try await base.page(of: collection, after: position, limit: limit)
    }

    /// Writes, or fails.
    /// - Throws: the error of a fault, otherwise what the base throws.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try pass(.write, key.collection)
        let record = try await base.write(content, for: key, replacing: generation)
        try pass(.acknowledge, key.collection)
        return record
    }

    /// Takes a lease, or fails.
    /// - Throws: the error of a fault, otherwise what the base throws.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try pass(.lease, key.collection)
        guard let lease = try await base.lease(for: key) else { return nil }
        return Lease(base: lease) { try self.pass($0, key.collection) }
    }

    /// Sets a damaged record of the base aside.
    /// - Throws: what the base throws.
    public func quarantine(_ key: StoreKey) async throws { try await base.quarantine(key) }

    /// The base's changes.
    public func changes() -> AsyncStream<StoreChange> { base.changes() }

    /// The base's changes of one collection.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> {
        base.changes(in: collection)
    }

    /// The base's marker.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { base.marker(for: key) }

    private func pass(_ operation: Operation, _ collection: StoreKey.Collection) throws {
        counts.withLock { $0[operation, default: [:]][collection, default: 0] += 1 }
        try faults.withLock { faults in
            let due = faults.firstIndex {
                $0.operation == operation && $0.remaining > 0 && ($0.collection ?? collection) == collection
            }
            guard let due else { return }
            if faults[due].skipped > 0 {
                faults[due].skipped -= 1
            } else {
                faults[due].remaining -= 1
                throw faults[due].error
            }
        }
    }

    private struct Lease: StoreLease {
        let base: any StoreLease
        let pass: @Sendable (Operation) throws -> Void

        func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
            try pass(.write)
            let record = try await base.write(content, replacing: generation)
            try pass(.acknowledge)
            return record
        }

        var endsAt: ContinuousClock.Instant? { base.endsAt }
        var isConfirmed: Bool { base.isConfirmed }
        var predecessor: LeasePredecessor { base.predecessor }

        func release() async { await base.release() }
    }
}
