import Foundation

/// The store of sessions, which all providers, tasks, processes and extensions share.
///
/// A store keeps small records of bytes and does not interpret them. `TokenStoreConformance` of IdentityTesting checks an
/// implementation. Every store follows three rules:
///
/// - A record changes only by compare-and-swap on its generation, which never decreases, not even when the record is
///   erased. A write that was decided on an old generation fails.
/// - Only an absent record is `nil`. For a record that is locked, unreadable or corrupt, a store throws a
///   ``TokenStoreError``; otherwise a locked phone would look signed out.
/// - A write is durable when it returns.
public protocol TokenStore: Sendable {
    /// The record under `key`, without taking any lock.
    /// - Returns: `nil` when it was never written. An erased record is returned without content.
    /// - Throws: ``TokenStoreError`` when the record cannot be read.
    func record(for key: StoreKey) async throws -> StoreRecord?

    /// The records under `keys`, without those that were never written. A store reads them in the order of `keys`, or
    /// all at the same moment; a store on a server reads them in one request.
    /// - Throws: ``TokenStoreError`` when any of them cannot be read.
    func records(for keys: [StoreKey]) async throws -> [StoreRecord]

    /// Every record of `collection`, erased ones too. A record that cannot be read does not hide the others.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func records(in collection: StoreKey.Collection) async throws -> StoreListing

    /// A page of `collection`, erased records too, for an interface that cannot show a hundred thousand accounts at
    /// once. The store chooses the order. A record that is written while pages are read may be missing.
    /// - Parameters:
    ///   - collection: the collection to read from.
    ///   - position: ``StoreListing/next`` of the previous page; `nil` for the first page.
    ///   - limit: the largest number of records on the page. A number below one counts as one.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func page(of collection: StoreKey.Collection, after position: String?, limit: Int) async throws -> StoreListing

    /// Replaces the content under `key` if the record still has the generation that the caller has read.
    /// - Parameters:
    ///   - content: the new content; `nil` erases the content, but the record stays, with its next generation.
    ///   - key: the collection and the name of the record.
    ///   - generation: the generation that the caller has read; 0 when there was no record.
    /// - Returns: the new record, whose generation is higher by one.
    /// - Throws: ``TokenStoreError/conflict(_:current:)`` when the record has another generation; other cases when the
    ///   write failed.
    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord

    /// Claims the right to use the refresh token in the record, across tasks and processes, without waiting.
    ///
    /// A lease does not exclude other writers: a sign-out never waits for a refresh.
    /// - Returns: `nil` while another holder has the lease.
    /// - Throws: ``TokenStoreError``, also when there is no space for the result of a refresh.
    func lease(for key: StoreKey) async throws -> (any StoreLease)?

    /// Replaces a damaged record with an erased one of a later generation, for a new sign-in or a sign-out. Where
    /// possible, the damaged content is kept for inspection. Undamaged records stay as they are.
    /// - Throws: ``TokenStoreError``.
    func quarantine(_ key: StoreKey) async throws

    /// The changes from now on, also those of other processes where the store can detect them. Treat changes as hints:
    /// a slow listener receives only the newest ones, and may receive a change twice. A store that may have missed changes
    /// of accounts can send a change with an empty name, which stands for all accounts. A store that polls for the changes
    /// of other processes reads only the collections that have listeners.
    /// - Parameter collection: the collection whose changes are wanted; `nil` for all of them. A store may include
    ///   changes of other collections.
    func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange>

    /// The version counter of the record under `key`; `nil` when this store has none.
    func marker(for key: StoreKey) -> (any StoreVersion)?

    /// The longest time until `marker(for:)` and `changes(in:)` in this process show a write of another machine. For
    /// that long, this machine may still hand out a token after a sign-out on the other machine. Zero in a store on one
    /// machine.
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

    /// Returns `nil`: the store has no version counters, so every lookup reads the record.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { nil }

    public var longestDelay: Duration { .zero }
}

/// The right to use the refresh token in a record. The lease ends when it is released or deallocated. It also ends, at
/// once or after a limited time, when its process dies.
public protocol StoreLease: Sendable {
    /// Writes the leased record as ``TokenStore/write(_:for:replacing:)`` does, into space that the store allocated
    /// with the lease.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// Writes as ``write(_:replacing:)`` does, for a holder that writes nothing afterwards. The store may end the lease
    /// with this write, which saves a store on a server a round trip. Call ``release()`` afterwards all the same.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// The time after which other callers may take over the lease; `nil` when the lease lasts until it is released or
    /// its process dies. Setting the wall clock does not change this time.
    var endsAt: ContinuousClock.Instant? { get }

    /// Whether, as far as this process knows, no other caller can hold the lease. A refresh token is sent only while
    /// this is `true`.
    var isConfirmed: Bool { get }

    /// Whether the previous holder has certainly released the lease, or its process has died. If it may still run, because
    /// perhaps only its connection or its heartbeat was lost, the new holder waits until the previous holder's request must
    /// have ended.
    var hasPredecessorEnded: Bool { get }

    /// Ends the lease, so that another caller can claim it.
    func release() async
}

extension StoreLease {
    /// Calls ``write(_:replacing:)``, and keeps the lease until it is released.
    /// - Throws: as ``write(_:replacing:)``.
    @discardableResult
    public func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await write(content, replacing: generation)
    }

    /// Returns `nil`: the lease lasts until it is released.
    public var endsAt: ContinuousClock.Instant? { nil }

    public var isConfirmed: Bool { true }

    /// Returns `false`: the previous holder may still run.
    public var hasPredecessorEnded: Bool { false }
}

/// A counter that changes with a record. Reading the counter takes nanoseconds, and shows whether a cached session is
/// current without reading the store.
public protocol StoreVersion: Sendable {
    /// The current value of the counter; zero when it is unknown whether the record has changed. Read the value before
    /// the record: while the value stays the same, the record is unchanged.
    var value: UInt64 { get }
}

/// A version whose change a task can await, with fewer reads of the store than polling needs.
package protocol AwaitableStoreVersion: StoreVersion {
    /// Suspends until the version differs from `value` or the record's lease is released, for `pause` at most. The
    /// method may return earlier.
    /// - Returns: whether the method has waited; `false` at once when it cannot wait, for example because too many
    ///   tasks wait.
    func change(from value: UInt64, atMost pause: Duration) async -> Bool
}
