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
    /// - Throws: ``TokenStoreError`` when that is unknown.
    func record(for key: StoreKey) async throws -> StoreRecord?

    /// The records under `keys` that were ever written, read in the order of `keys` or all at one moment. A store on a server
    /// reads them at once.
    /// - Throws: ``TokenStoreError`` when one of them cannot be read.
    func records(for keys: [StoreKey]) async throws -> [StoreRecord]

    /// Every record of `collection`, erased ones too. A record that cannot be read does not hide the others.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func records(in collection: StoreKey.Collection) async throws -> StoreListing

    /// Some records of `collection`, erased ones too, in an order of the store's own: what an interface shows of a hundred
    /// thousand accounts. A record that is written while pages are read may be missing.
    /// - Parameters:
    ///   - collection: the collection.
    ///   - position: ``StorePage/next`` of the page before; `nil` for the first page.
    ///   - limit: the largest number of records; at least one.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func page(of collection: StoreKey.Collection, after position: String?, limit: Int) async throws -> StorePage

    /// Replaces the content under `key` if its generation is still the one the caller saw.
    /// - Parameters:
    ///   - content: the new content; `nil` erases it and keeps the generation.
    ///   - key: the name of the record.
    ///   - generation: the generation that the caller has read; 0 when there was no record.
    /// - Returns: the new record, whose generation is higher by one.
    /// - Throws: ``TokenStoreError/conflict(_:current:)`` when the generation is another one; other cases when the write
    ///   failed.
    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord

    /// Claims the right to spend the refresh token in the record, across tasks and processes, without waiting.
    ///
    /// A lease does not exclude other writers: a sign-out never waits for a refresh.
    /// - Returns: `nil` while another holder has the lease.
    /// - Throws: ``TokenStoreError``, also when there is no space for the result of a refresh.
    func lease(for key: StoreKey) async throws -> (any StoreLease)?

    /// Replaces a damaged record by an erased one of a later generation, for a new sign-in or a sign-out. The damaged content
    /// is kept for inspection where that is possible. A record that is not damaged stays as it is.
    /// - Throws: ``TokenStoreError``.
    func quarantine(_ key: StoreKey) async throws

    /// The changes from now on, also those of other processes where the store can detect them. They are hints: a slow
    /// listener receives the newest ones, and one change may be sent twice.
    func changes() -> AsyncStream<StoreChange>

    /// The changes of `collection`, as ``changes()`` sends them. Other changes may come too. A store that checks for the
    /// changes of other processes reads no other collection for it.
    func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange>

    /// A number that changes with the record under `key`; `nil` when this store has none.
    func marker(for key: StoreKey) -> (any StoreVersion)?

    /// The longest time until the markers and changes here show what was written elsewhere: how long another machine may
    /// still hand out a token after a sign-out. Zero in a store on one machine.
    var longestDelay: Duration { get }
}

extension TokenStore {
    /// Reads one after the other.
    /// - Throws: as ``record(for:)``.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        var records: [StoreRecord] = []
        for key in keys {
            if let record = try await record(for: key) { records.append(record) }
        }
        return records
    }

    /// Does nothing: for stores whose records cannot be damaged.
    /// - Throws: nothing.
    public func quarantine(_ key: StoreKey) async throws {}

    /// All changes.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> { changes() }

    /// `nil`: every lookup reads the record.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { nil }

    public var longestDelay: Duration { .zero }
}

/// The fate of the holder that had a lease before.
public enum LeasePredecessor: Sendable {
    /// The lease was given back, or the holder's process has died.
    case ended
    /// The holder may still run; only its connection or heartbeat may be lost.
    case unknown
}

/// The right to spend the refresh token in a record. It ends when it is released, deallocated, or its process dies.
public protocol StoreLease: Sendable {
    /// ``TokenStore/write(_:for:replacing:)`` on the leased record, into space that was allocated with the lease.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// ``write(_:replacing:)`` by a holder that has nothing else to do: the lease may end with it, which saves a store on a
    /// server a round trip. ``release()`` follows as always.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// When others may take the lease over, whatever the clock on the wall says; `nil` when it lasts until it is released or
    /// its process dies.
    var endsAt: ContinuousClock.Instant? { get }

    /// Whether nobody else can have it by now, as far as this process knows: a refresh token is not sent without that.
    var isConfirmed: Bool { get }

    /// The fate of the holder before. The request of a holder that may still run is waited for.
    var predecessor: LeasePredecessor { get }

    /// Ends the lease, so that the next caller can have it.
    func release() async
}

extension StoreLease {
    /// Writes and keeps the lease until it is released.
    /// - Throws: as ``write(_:replacing:)``.
    @discardableResult
    public func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await write(content, replacing: generation)
    }

    /// `nil`: it lasts until it is released.
    public var endsAt: ContinuousClock.Instant? { nil }

    public var isConfirmed: Bool { true }

    public var predecessor: LeasePredecessor { .unknown }
}

/// A number that changes with a record. Reading it takes nanoseconds, so that a cached session needs no read of the store.
public protocol StoreVersion: Sendable {
    /// Take it before reading the record. While it stays the same, the record is unchanged. Zero means unknown.
    var value: UInt64 { get }
}

/// A version whose change a task can wait for without looking again and again.
package protocol AwaitableStoreVersion: StoreVersion {
    /// Suspends until the version is not `value` any more, or the record's lease was released, for `pause` at most. It may
    /// return earlier.
    /// - Returns: whether it has waited; `false` at once where that is not possible at this moment.
    func change(from value: UInt64, atMost pause: Duration) async -> Bool
}
