import Foundation

/// The store of sessions, which all providers, tasks, processes and extensions share.
///
/// A store keeps small records of bytes and does not interpret them. `TokenStoreConformance` of IdentityTesting checks an
/// implementation. Every store follows three rules:
///
/// - A record changes only by compare-and-swap on its generation, which never decreases, not even when the record is
///   erased. A write that was decided on an old generation fails.
/// - *Absent* is `nil`. A record that is locked, unreadable or corrupt is a ``TokenStoreError``; otherwise a locked phone
///   would look signed out.
/// - A write is durable when it returns.
public protocol TokenStore: Sendable {
    /// The record under `key`, without taking any lock.
    /// - Returns: `nil` when it was never written. An erased record is returned without content.
    /// - Throws: ``TokenStoreError`` when the record cannot be read.
    func record(for key: StoreKey) async throws -> StoreRecord?

    /// The records under `keys` that were ever written. They are read in the order of `keys`, or all at one moment; a
    /// store on a server reads them in one request.
    /// - Throws: ``TokenStoreError`` when one of them cannot be read.
    func records(for keys: [StoreKey]) async throws -> [StoreRecord]

    /// Every record of `collection`, erased ones too. A record that cannot be read does not hide the others.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func records(in collection: StoreKey.Collection) async throws -> StoreListing

    /// A page of `collection`, erased records too, in an order that the store chooses, for an interface that cannot
    /// show a hundred thousand accounts at once. A record that is written while pages are read may be missing.
    /// - Parameters:
    ///   - collection: the collection.
    ///   - position: ``StorePage/next`` of the page before; `nil` for the first page.
    ///   - limit: the largest number of records; at least one.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func page(of collection: StoreKey.Collection, after position: String?, limit: Int) async throws -> StorePage

    /// Replaces the content under `key` if its generation is still the one that the caller has read.
    /// - Parameters:
    ///   - content: the new content; `nil` erases it and keeps the generation.
    ///   - key: the name of the record.
    ///   - generation: the generation that the caller has read; 0 when there was no record.
    /// - Returns: the new record, whose generation is higher by one.
    /// - Throws: ``TokenStoreError/conflict(_:current:)`` when the generation is another one; other cases when the
    ///   write failed.
    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord

    /// Claims the right to spend the refresh token in the record, across tasks and processes, without waiting.
    ///
    /// A lease does not exclude other writers: a sign-out never waits for a refresh.
    /// - Returns: `nil` while another holder has the lease.
    /// - Throws: ``TokenStoreError``, also when there is no space for the result of a refresh.
    func lease(for key: StoreKey) async throws -> (any StoreLease)?

    /// Replaces a damaged record with an erased one of a later generation, for a new sign-in or a sign-out. Where
    /// possible, the damaged content is kept for inspection. Undamaged records stay as they are.
    /// - Throws: ``TokenStoreError``.
    func quarantine(_ key: StoreKey) async throws

    /// The changes from now on, also those of other processes where the store can detect them. Treat them as hints: a
    /// slow listener receives the newest ones, and one change may be sent twice.
    func changes() -> AsyncStream<StoreChange>

    /// The changes of `collection`, as ``changes()`` sends them; changes of other collections may be included. A store
    /// that polls for the changes of other processes reads only the collections that have listeners.
    func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange>

    /// The version counter of the record under `key`; `nil` when this store has none.
    func marker(for key: StoreKey) -> (any StoreVersion)?

    /// The longest time until the markers and changes show a write of another machine, and so how long that machine may
    /// hand out a token after a sign-out. Zero in a store on one machine.
    var longestDelay: Duration { get }
}

extension TokenStore {
    /// Reads the records one after another.
    /// - Throws: as ``record(for:)``.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        for key in keys {
            if let record = try await record(for: key) { records.append(record) }
        }
        return records
    }

    /// Does nothing, for stores whose records cannot be damaged.
    /// - Throws: nothing.
    public func quarantine(_ key: StoreKey) async throws {}

    /// All changes of the store, because filtering is optional.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> { changes() }

    /// Returns `nil`, so that every lookup reads the record.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { nil }

    public var longestDelay: Duration { .zero }
}

/// Whether the previous holder of a lease may still be using it.
public enum LeasePredecessor: Sendable {
    /// The lease was given back, or the holder's process has died.
    case ended
    /// The holder may still run; perhaps only its connection or its heartbeat was lost.
    case unknown
}

/// The right to spend the refresh token in a record. The lease ends when it is released or deallocated, or when its
/// process dies.
public protocol StoreLease: Sendable {
    /// ``TokenStore/write(_:for:replacing:)`` on the leased record, into space that was allocated with the lease.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// Writes as ``write(_:replacing:)`` does, for a holder that writes nothing afterwards. The lease may end with this
    /// write, which saves a store on a server a round trip. Call ``release()`` afterwards all the same.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// The time after which others may take over the lease, unaffected by changes of the wall clock; `nil` when it
    /// lasts until it is released or its process dies.
    var endsAt: ContinuousClock.Instant? { get }

    /// Whether, as far as this process knows, nobody else can hold the lease by now. A refresh token is sent only while
    /// this is `true`.
    var isConfirmed: Bool { get }

    /// The fate of the previous holder. If that may still run, the new holder waits until its request must have ended.
    var predecessor: LeasePredecessor { get }

    /// Ends the lease, so that another caller can claim it.
    func release() async
}

extension StoreLease {
    /// Writes, and keeps the lease until it is released.
    /// - Throws: as ``write(_:replacing:)``.
    @discardableResult
    public func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await write(content, replacing: generation)
    }

    /// Returns `nil`: the lease lasts until it is released.
    public var endsAt: ContinuousClock.Instant? { nil }

    public var isConfirmed: Bool { true }

    public var predecessor: LeasePredecessor { .unknown }
}

/// A counter that changes with a record. Reading it takes nanoseconds, so that a cached session need not read the
/// store.
public protocol StoreVersion: Sendable {
    /// Read the counter before the record: while the counter stays the same, the record is unchanged. Zero means
    /// unknown.
    var value: UInt64 { get }
}

/// A version whose change a task can wait for without polling.
package protocol AwaitableStoreVersion: StoreVersion {
    /// Suspends until the version differs from `value` or the record's lease is released, for `pause` at most. It may
    /// return earlier.
    /// - Returns: whether it has waited; `false` at once when waiting is not possible at this moment.
    func change(from value: UInt64, atMost pause: Duration) async -> Bool
}
