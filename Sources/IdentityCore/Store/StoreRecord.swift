import Foundation

/// The name of a record.
public struct StoreKey: Hashable, Codable, Sendable {
    /// The kind of a record.
    public struct Collection: RawRepresentable, Hashable, Codable, Sendable {
        /// The collection's name: lower-case letters and hyphens.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// Credentials, one for each account.
        public static let accounts = Collection(rawValue: "accounts")
        /// Times and results of the last refresh request, one record for each account.
        public static let refreshes = Collection(rawValue: "refreshes")
        /// Authorizations that wait for their callback.
        package static let pendingFlows = Collection(rawValue: "pending-flows")
        /// Contents of damaged records, kept for inspection.
        package static let quarantine = Collection(rawValue: "quarantine")
        /// Dynamic client registrations, one per server and redirect URI, and the server that a protected resource
        /// named last, one per resource.
        package static let clients = Collection(rawValue: "clients")
        /// The current account of each profile and of each realm, a record each.
        package static let currentAccounts = Collection(rawValue: "current-accounts")
        /// Ended sessions that still have to be revoked at their servers.
        package static let revocations = Collection(rawValue: "revocations")
        /// Values of this device, such as its identifier.
        package static let device = Collection(rawValue: "device")

        /// The collections that are encrypted, because a person is needed to create their records again.
        package static let sealed: [Collection] = [.accounts, .refreshes, .pendingFlows, .clients, .device]
    }

    public let collection: Collection
    /// The record's name within the collection.
    public let name: String

    public init(_ collection: Collection, _ name: String) {
        self.collection = collection
        self.name = name
    }

    /// The record of an account's credential.
    public static func account(_ account: AccountID) -> StoreKey {
        StoreKey(.accounts, account.id)
    }

    /// Compares the UTF-8 bytes of the names, as ``AccountID`` does.
    public static func == (left: StoreKey, right: StoreKey) -> Bool {
        left.name.hasBytes(of: right.name) && left.collection == right.collection
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: name)
        hasher.combine(collection)
    }
}

/// A record as it was read or written.
public struct StoreRecord: Sendable, Equatable {
    public let key: StoreKey
    /// The number of the version, which every write increases by one.
    public let generation: UInt64
    /// The bytes; `nil` when the record was erased.
    public let content: Data?
    /// Time since the record was written, by the clock of the store; `nil` for a store without a clock of its own. The
    /// clocks of the machines that share a store differ, so theirs is not used. Ignored when records are compared.
    public let age: Duration?

    /// The range of generations. Zero means that there is no record, and larger integers are not exact in every JSON
    /// reader (RFC 8259 section 6).
    package static let generations: ClosedRange<UInt64> = 1...(1 << 53)

    public init(key: StoreKey, generation: UInt64, content: Data?, age: Duration? = nil) {
        self.key = key
        self.generation = generation
        self.content = content
        self.age = age
    }

    /// Compares everything but the ages.
    public static func == (left: StoreRecord, right: StoreRecord) -> Bool {
        left.key == right.key && left.generation == right.generation && left.content == right.content
    }

    /// The erased record in place of a damaged one, whose generation is unknown. Its generation is the time in
    /// milliseconds since 1970, which exceeds any number of writes.
    package init(erasing key: StoreKey, afterDamageAt date: Date) {
        self.init(key: key, generation: UInt64(max(1, date.wholeMillisecondsSince1970)), content: nil)
    }
}

/// The records of a collection.
public struct StoreListing: Sendable, Equatable {
    /// The records that could be read.
    public var records: [StoreRecord]
    /// Errors of the records that could not be read, one for each.
    public var failures: [TokenStoreError]

    public init(records: [StoreRecord] = [], failures: [TokenStoreError] = []) {
        self.records = records
        self.failures = failures
    }
}

/// A change of one record.
public struct StoreChange: Sendable, Equatable {
    public let key: StoreKey
    public let generation: UInt64
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

extension StoreRecord: CustomReflectable {
    /// Shows only the size of the content, which may be unencrypted.
    public var customMirror: Mirror {
        let content = content.map { "\($0.count) bytes" } as Any
        return Mirror(self, showing: ["key": key, "generation": generation, "content": content])
    }
}
