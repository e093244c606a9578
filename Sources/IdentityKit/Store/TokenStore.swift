import Foundation

/// The shared store: where sessions live, for every provider, task, process and extension at once.
///
/// A store keeps small byte records and knows nothing of what they mean, so that a new one is easy to write and one
/// suite of tests can judge them all. Three rules carry everything above it:
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
    ///   - generation: the generation the decision was made on; 0 when there was no record.
    /// - Returns: the new record, whose generation is higher by one.
    /// - Throws: ``TokenStoreError/conflict(_:current:)`` when somebody was faster; other cases when it was not written.
    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord

    /// Claims the right to spend what the record holds, across tasks and processes, without waiting.
    ///
    /// A lease does not keep others from writing: a sign-out never waits for a refresh.
    /// - Returns: `nil` while somebody else holds the lease.
    /// - Throws: ``TokenStoreError``.
    func lease(for key: StoreKey) async throws -> (any StoreLease)?

    /// The changes from now on. A slow listener sees the newest ones.
    func changes() -> AsyncStream<StoreChange>
}

/// The right to spend what a record holds. It is over when it is released, dropped, or its process dies.
public protocol StoreLease: Sendable {
    /// Gives the right back.
    func release() async
}

/// The name of a record.
public struct StoreKey: Hashable, Codable, Sendable {
    /// What a record is about.
    public struct Collection: RawRepresentable, Hashable, Codable, Sendable {
        /// The collection's name: lower-case letters and hyphens.
        public let rawValue: String

        /// Names a collection.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// One record per account: its credential.
        public static let accounts = Collection(rawValue: "accounts")
        /// One record per authorization that waits for its callback.
        public static let pendingFlows = Collection(rawValue: "pending-flows")
        /// Facts about this device.
        public static let device = Collection(rawValue: "device")
    }

    /// What the record is about.
    public let collection: Collection
    /// The record's name within the collection.
    public let name: String

    /// Names a record.
    public init(_ collection: Collection, _ name: String) {
        self.collection = collection
        self.name = name
    }

    /// The record of an account's credential.
    public static func account(_ account: AccountID) -> StoreKey {
        StoreKey(.accounts, account.id)
    }
}

/// A record as it was read or written.
public struct StoreRecord: Sendable, Equatable {
    /// The record's name.
    public let key: StoreKey
    /// 1 for the first write, one more with each later one.
    public let generation: UInt64
    /// The bytes; `nil` when the record was erased.
    public let content: Data?

    /// A record.
    public init(key: StoreKey, generation: UInt64, content: Data?) {
        self.key = key
        self.generation = generation
        self.content = content
    }
}

/// The records of a collection.
public struct StoreListing: Sendable, Equatable {
    /// What could be read.
    public var records: [StoreRecord]
    /// One error for each record that could not.
    public var failures: [TokenStoreError]

    /// A listing.
    public init(records: [StoreRecord] = [], failures: [TokenStoreError] = []) {
        self.records = records
        self.failures = failures
    }
}

/// A change of one record.
public struct StoreChange: Sendable, Equatable {
    /// The record's name.
    public let key: StoreKey
    /// The generation after the change.
    public let generation: UInt64
    /// Whether the record has content now.
    public let hasContent: Bool

    /// A change.
    public init(key: StoreKey, generation: UInt64, hasContent: Bool) {
        self.key = key
        self.generation = generation
        self.hasContent = hasContent
    }
}
