import Foundation

/// The key of a record: its collection and its name in the collection.
public struct StoreKey: Hashable, Codable, Sendable {
    /// A named group of records of the same kind, such as sessions.
    public struct Collection: RawRepresentable, Hashable, Codable, Sendable {
        /// The name of the collection in the store. By convention, it contains only lower-case letters and hyphens.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Sessions, live and ended ones, one record for each account.
        public static let accounts = Collection(rawValue: "accounts")
        /// Times and results of the last refresh request. There is one record for each account, and one for each further
        /// grant of its session. A further grant has a refresh token of its own.
        package static let refreshes = Collection(rawValue: "refreshes")
        /// Authorizations that wait for their callback.
        package static let pendingFlows = Collection(rawValue: "pending-flows")
        /// Contents of damaged records, and of records whose encryption key is lost, kept for inspection.
        package static let quarantine = Collection(rawValue: "quarantine")
        /// Dynamic client registrations, one record for each issuer and redirect URI. Also the authorization server
        /// that each protected resource named last, one record for each resource.
        package static let clients = Collection(rawValue: "clients")
        /// The account that the chain of each profile has chosen, one record for each profile. Also the account of each
        /// realm that signed in last, one record for each realm.
        package static let currentAccounts = Collection(rawValue: "current-accounts")
        /// Ended sessions that still have to be revoked at their servers.
        package static let revocations = Collection(rawValue: "revocations")
        /// Values of this device that belong to no session, such as the identifier of the device.
        package static let device = Collection(rawValue: "device")

        /// The collections in which an encrypting store looks for encrypted records before it makes a key. While there
        /// are any, the store does not replace a missing key, because a person would have to create these records
        /// again. The store encrypts the records of other collections too.
        package static let sealed: [Collection] = [.accounts, .refreshes, .pendingFlows, .clients, .device]
    }

    public let collection: Collection
    /// The name that identifies the record in its collection, such as an account's identifier.
    public let name: String

    public init(_ collection: Collection, _ name: String) {
        self.collection = collection
        self.name = name
    }

    /// Returns the key of the record with the session of `account`.
    package static func account(_ account: AccountID) -> StoreKey {
        StoreKey(.accounts, account.id)
    }

    /// Compares the collections, and the names by their UTF-8 bytes, as ``AccountID`` does.
    public static func == (left: StoreKey, right: StoreKey) -> Bool {
        left.name.hasBytes(of: right.name) && left.collection == right.collection
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: name)
        hasher.combine(collection)
    }
}

/// A version of a record, as a store returned it from reading or writing.
public struct StoreRecord: Sendable, Equatable {
    public let key: StoreKey
    /// The number of this version of the record. A write increases it by one, the repair of a damaged record by
    /// at least one.
    public let generation: UInt64
    /// The stored bytes, which a store does not interpret; `nil` when the record was erased.
    public let content: Data?
    /// The time since the record was written, measured by the store's own clock, such as a database server's; `nil` for
    /// a store without a clock. The clocks of the machines that share a store are not used, because they differ.
    /// Comparisons of records ignore the age.
    public let age: Duration?

    /// The range of generations. Zero means that there is no record. Not every JSON reader reads integers above the
    /// upper bound exactly (RFC 8259 section 6).
    package static let generations: ClosedRange<UInt64> = 1...(1 << 53)

    public init(key: StoreKey, generation: UInt64, content: Data?, age: Duration? = nil) {
        self.key = key
        self.generation = generation
        self.content = content
        self.age = age
    }

    /// Compares the keys, generations and contents, but not the ages.
    public static func == (left: StoreRecord, right: StoreRecord) -> Bool {
        left.key == right.key && left.generation == right.generation && left.content == right.content
    }

    /// Makes the erased record that replaces a damaged one, whose generation is unknown. The new generation is the time
    /// in milliseconds since 1970, which is larger than any number of writes.
    package init(erasing key: StoreKey, afterDamageAt date: Date) {
        self.init(key: key, generation: UInt64(max(1, date.wholeMillisecondsSince1970)), content: nil)
    }
}

/// The records of a collection, or a page of them, with the errors of those that could not be read.
public struct StoreListing: Sendable, Equatable {
    /// The records that could be read, including erased ones.
    public var records: [StoreRecord]
    /// Errors of the records that could not be read, one for each.
    public var failures: [TokenStoreError]
    /// The position of the next page, for ``TokenStore/page(of:after:limit:)``; `nil` when there are no more records. Only
    /// the store can interpret it.
    public var next: String?

    public init(records: [StoreRecord] = [], failures: [TokenStoreError] = [], next: String? = nil) {
        self.records = records
        self.failures = failures
        self.next = next
    }
}

/// A notice that one record was written or erased. It does not contain the content.
public struct StoreChange: Sendable, Equatable {
    public let key: StoreKey
    package let generation: UInt64
    package let hasContent: Bool

    public init(key: StoreKey, generation: UInt64, hasContent: Bool) {
        self.key = key
        self.generation = generation
        self.hasContent = hasContent
    }

    package init(_ record: StoreRecord) {
        self.init(key: record.key, generation: record.generation, hasContent: record.content != nil)
    }
}

extension StoreRecord: Reticent {
    /// Shows the key, the generation and the size of the content. The content itself, which may be unencrypted, stays
    /// hidden.
    package var shown: KeyValuePairs<String, Any> {
        ["key": key, "generation": generation, "content": content.map { "\($0.count) bytes" } as Any]
    }
}
