import Foundation

/// The shared store: where sessions live, for every provider, task, process and extension at once.
///
/// A store keeps small byte records and knows nothing of what they mean, so that a new one is easy to write and one
/// suite of checks can judge them all. Three rules carry everything above it:
///
/// - A record changes only by compare-and-swap on its generation, which never goes back, not even when the record is
///   erased. Whoever decided on an old state loses.
/// - *Absent* is `nil`. Everything that merely looks absent (locked, unreadable, corrupt) is a ``TokenStoreError``, or a
///   locked phone would look signed out.
/// - A write has survived when it returns.
public protocol TokenStore: Sendable {
    /// The record under `key`, without taking any lock.
    /// - Returns: `nil` when nothing was ever written there. An erased record is returned, without content.
    /// - Throws: ``TokenStoreError`` when the truth cannot be known.
    func record(for key: StoreKey) async throws -> StoreRecord?

    /// Every record of `collection`, erased ones too. A record that cannot be read does not hide the others.
    /// - Throws: ``TokenStoreError`` when the collection as a whole cannot be read.
    func records(in collection: StoreKey.Collection) async throws -> StoreListing

    /// Replaces the content under `key` if its generation is still the one the caller saw.
    /// - Parameters:
    ///   - content: the new content; `nil` erases it and keeps the generation.
    ///   - key: where the record is.
    ///   - generation: the generation the decision was made on; 0 when there was no record.
    /// - Returns: the new record, whose generation is higher by one.
    /// - Throws: ``TokenStoreError/conflict(_:current:)`` when somebody was faster; other cases when it was not written.
    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord

    /// Claims the right to spend what the record holds, across tasks and processes, without waiting.
    ///
    /// A lease does not keep others from writing: a sign-out never waits for a refresh.
    /// - Returns: `nil` while somebody else holds the lease.
    /// - Throws: ``TokenStoreError``, also when there would be no space for the result: better now than once the
    ///   token is spent.
    func lease(for key: StoreKey) async throws -> (any StoreLease)?

    /// Moves a damaged record out of the way, for a new sign-in or a sign-out. What is left under `key` is an erased
    /// record of a later generation; what was damaged is kept where a person can look at it, if there is such a place. A
    /// record that is not damaged is left alone.
    /// - Throws: ``TokenStoreError``.
    func quarantine(_ key: StoreKey) async throws

    /// The changes from now on, those of other processes too where the store can see them. They are hints: a slow
    /// listener sees the newest ones, and one state may be told twice.
    func changes() -> AsyncStream<StoreChange>

    /// Tells without reading whether the record under `key` may have changed; `nil` when this store cannot.
    func marker(for key: StoreKey) -> (any StoreVersion)?
}

extension TokenStore {
    /// Does nothing: for stores whose records cannot be damaged.
    /// - Throws: nothing.
    public func quarantine(_ key: StoreKey) async throws {}

    /// `nil`: every look at a record is a read.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { nil }
}

/// The right to spend what a record holds. It is over when it is released, dropped, or its process dies.
public protocol StoreLease: Sendable {
    /// ``TokenStore/write(_:for:replacing:)`` on the leased record, into space that was secured with the lease.
    /// - Throws: ``TokenStoreError``, as the store does.
    @discardableResult
    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord

    /// When others may take the right over; `nil` when it lasts until it is given back or its process dies.
    var endsAt: Date? { get }

    /// Gives the right back.
    func release() async
}

extension StoreLease {
    /// `nil`: it lasts until it is given back.
    public var endsAt: Date? { nil }
}

/// A number that changes with a record: looking at it costs nanoseconds, so a token that is known to be current needs
/// no read.
public protocol StoreVersion: Sendable {
    /// Take it before reading the record. While a later look gives the same number, the record is unchanged. Zero means
    /// that nothing can be said at this moment.
    var value: UInt64 { get }
}
