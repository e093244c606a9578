import Foundation
import IdentityKit

/// A store whose operations fail on demand, as with a full disk, a locked device or a conflict.
public final class FaultyTokenStore: TokenStoreWrapper {
    /// The operations that ``fail(_:in:with:times:after:)`` can make fail.
    public enum Operation: Sendable, Hashable {
        case read
        case list
        /// Any write, also through a lease.
        case write
        /// The confirmation of a write, also through a lease: the record has changed, but the call throws.
        case acknowledge
        case lease
    }

    private struct Fault: Sendable {
        let operation: Operation
        let collection: StoreKey.Collection?
        let error: any Error
        var remaining: Int
        var skipped: Int
    }

    /// The store that performs the operations that do not fail.
    public let wrapped: any TokenStore
    private let faults = Locked<[Fault]>([])
    private let counts = Locked<[Operation: [StoreKey.Collection: Int]]>([:])

    public init(_ wrapped: any TokenStore = MemoryTokenStore()) {
        self.wrapped = wrapped
    }

    /// Makes later operations throw `error`.
    /// - Parameters:
    ///   - operation: the operation that throws.
    ///   - collection: the collection in which the operation throws; `nil` for all.
    ///   - error: the error to throw.
    ///   - times: the number of failures; unlimited by default.
    ///   - skipped: the number of operations that succeed before the first failure.
    public func fail(
        _ operation: Operation, in collection: StoreKey.Collection? = nil, with error: any Error,
        times: Int = .max, after skipped: Int = 0
    ) {
        faults.withLock {
            $0.append(
                Fault(operation: operation, collection: collection, error: error, remaining: times, skipped: skipped))
        }
    }

    /// Removes all faults, so that operations succeed again. The counts stay.
    public func heal() { faults.withLock { $0 = [] } }

    /// Returns the number of calls, including those that failed and writes through leases. Reading several records counts each
    /// record.
    /// - Parameters:
    ///   - operation: the operation to count. A write that ``wrapped`` has performed counts as ``Operation/acknowledge``, too.
    ///   - collection: the collection to count in; `nil` for all.
    public func count(of operation: Operation, in collection: StoreKey.Collection? = nil) -> Int {
        let counts = counts.withLock { $0[operation] ?? [:] }
        return collection.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
    }

    /// Reads a record of ``wrapped``, unless a fault for ``Operation/read`` is due.
    /// - Throws: the error of the fault, otherwise what ``wrapped`` throws.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        try pass(.read, key.collection)
        return try await wrapped.record(for: key)
    }

    /// Reads the records one after another, each as ``record(for:)`` does.
    /// - Throws: as ``record(for:)``.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        for key in keys {
            if let record = try await record(for: key) { records.append(record) }
        }
        return records
    }

    /// Reads a collection of ``wrapped``, unless a fault for ``Operation/list`` is due.
    /// - Throws: the error of the fault, otherwise what ``wrapped`` throws.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try pass(.list, collection)
        return try await wrapped.records(in: collection)
    }

    /// Reads a page of a collection of ``wrapped``, unless a fault for ``Operation/list`` is due.
    /// - Throws: the error of the fault, otherwise what ``wrapped`` throws.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StoreListing {
        try pass(.list, collection)
        return try await wrapped.page(of: collection, after: position, limit: limit)
    }

    /// Writes to ``wrapped``, unless a fault for ``Operation/write`` is due. With a fault for ``Operation/acknowledge``, throws
    /// although the record has changed.
    /// - Throws: the error of the fault, otherwise what ``wrapped`` throws.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try pass(.write, key.collection)
        let record = try await wrapped.write(content, for: key, replacing: generation)
        try pass(.acknowledge, key.collection)
        return record
    }

    /// Claims a lease of ``wrapped``, unless a fault for ``Operation/lease`` is due. Faults for ``Operation/write`` and
    /// ``Operation/acknowledge`` also apply to writes through the lease.
    /// - Throws: the error of the fault, otherwise what ``wrapped`` throws.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try pass(.lease, key.collection)
        guard let lease = try await wrapped.lease(for: key) else { return nil }
        return Lease(base: lease) { try self.pass($0, key.collection) }
    }

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
        var hasPredecessorEnded: Bool { base.hasPredecessorEnded }

        func release() async { await base.release() }
    }
}
