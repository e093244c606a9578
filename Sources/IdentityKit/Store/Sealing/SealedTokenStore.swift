import Foundation
import StoreFormat

/// Encrypts the records of another store.
///
/// Contents are sealed with AES-256-GCM under one key for the store and bound to the record's name and generation, so that
/// a content that was moved to another record does not open. Names, generations and erasures stay readable:
/// compare-and-swap, leases and sign-out work without the key. A content that is not sealed is refused.
public final class SealedTokenStore: TokenStore {
    let base: any TokenStore
    private let home: any DataKeyHome
    private let storeID: String
    private let cachedKeys = Locked<DataKeys?>(nil)
    private let keyRequests = Coalescer<String, DataKeys>()

    /// Wraps `base`. Nothing is read before the first use.
    /// - Parameters:
    ///   - base: the store of the sealed records.
    ///   - storeID: identifies the key of this store in its home.
    ///   - home: where the key is kept.
    public init(_ base: any TokenStore, storeID: String, key home: any DataKeyHome) {
        self.base = base
        self.storeID = storeID
        self.home = home
    }

    /// The opened record under `key`.
    /// - Throws: ``TokenStoreError``, such as ``TokenStoreError/keyUnavailable(home:detail:)``.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        guard let record = try await base.record(for: key) else { return nil }
        return try await opened(record)
    }

    /// The opened records under `keys`.
    /// - Throws: ``TokenStoreError``.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        var opened: [StoreRecord] = []
        for record in try await base.records(for: keys) { opened.append(try await self.opened(record)) }
        return opened
    }

    /// The opened records of a collection.
    /// - Throws: ``TokenStoreError``.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await opened(try await base.records(in: collection))
    }

    private func opened(_ sealed: StoreListing) async throws -> StoreListing {
        let keys = sealed.records.contains { $0.content != nil } ? try await dataKeys() : nil
        return try opened(sealed, with: keys)
    }

    /// Some opened records of a collection.
    /// - Throws: ``TokenStoreError``.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StorePage {
        let sealed = try await base.page(of: collection, after: position, limit: limit)
        return StorePage(listing: try await opened(sealed.listing), next: sealed.next)
    }

    private func opened(_ sealed: StoreListing, with keys: DataKeys?) throws -> StoreListing {
        var listing = StoreListing(failures: sealed.failures)
        for record in sealed.records {
            do {
                listing.records.append(try opened(record, with: keys))
            } catch let error as TokenStoreError {
                listing.failures.append(error)
            }
        }
        return listing
    }

    /// Compare-and-swap with a sealed content.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await sealing(content, for: key, replacing: generation) {
            try await base.write($0, for: key, replacing: generation)
        }
    }

    /// The lease on `key`.
    /// - Throws: ``TokenStoreError``.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        guard let lease = try await base.lease(for: key) else { return nil }
        return SealedLease(base: lease, key: key, store: self)
    }

    /// Moves a damaged record to the quarantine, also one that does not open.
    /// - Throws: ``TokenStoreError``.
    public func quarantine(_ key: StoreKey) async throws {
        try await base.quarantine(key)
        do {
            _ = try await record(for: key)
        } catch let error as TokenStoreError where error.isAboutContent {
            // The base can read the record, but its content does not open: keep the sealed content if there is space, and
            // erase the record.
            guard let damaged = try await base.record(for: key) else { return }
            let aside = StoreKey(.quarantine, "\(key.collection.rawValue)/\(key.name)")
            _ = try? await base.update(aside) { _ in .replace(damaged.content) }
            try await base.write(nil, for: key, replacing: damaged.generation)
        }
    }

    /// The changes from now on.
    public func changes() -> AsyncStream<StoreChange> { base.changes() }

    /// The changes of one collection from now on.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> {
        base.changes(in: collection)
    }

    /// The marker of the sealed record.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { base.marker(for: key) }

    /// That of the sealed store.
    public var longestDelay: Duration { base.longestDelay }

    // MARK: Sealing and opening

    /// Seals `content` and passes it to `write`.
    /// - Returns: the record with the content that is not sealed.
    fileprivate func sealing(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64,
        _ write: (Data?) async throws -> StoreRecord
    ) async throws -> StoreRecord {
        let place = Self.place(of: key, generation: generation &+ 1)
        let sealed: Data? = if let content { try await dataKeys().current.seal(content, at: place) } else { nil }
        return StoreRecord(key: key, generation: try await write(sealed).generation, content: content)
    }

    private func opened(_ record: StoreRecord) async throws -> StoreRecord {
        guard let sealed = record.content else { return record }
        try Self.requireSealed(sealed, of: record)
        let keys = try await dataKeys()
        do {
            return try opened(record, with: keys)
        } catch TokenStoreError.sealedWithOtherKey {
            // The home may have got a further key since it was read.
            cachedKeys.withLock { if $0 == keys { $0 = nil } }
            return try opened(record, with: try await dataKeys())
        }
    }

    private func opened(_ record: StoreRecord, with keys: DataKeys?) throws -> StoreRecord {
        guard let sealed = record.content, let keys else { return record }
        try Self.requireSealed(sealed, of: record)
        let place = Self.place(of: record.key, generation: record.generation)
        // Not damaged: whoever has the key can open it.
        guard let content = try keys.open(sealed, at: place) else {
            throw TokenStoreError.sealedWithOtherKey(path: record.key.name, home: home.name)
        }
        return StoreRecord(key: record.key, generation: record.generation, content: content)
    }

    private static func requireSealed(_ content: Data, of record: StoreRecord) throws {
        guard RecordSeal.isSealed(content) else {
            throw TokenStoreError.insecure(
                path: record.key.name, detail: "the record is not sealed, but this store keeps sealed records only")
        }
    }

    static func place(of key: StoreKey, generation: UInt64) -> RecordSeal.Place {
        RecordSeal.Place(collection: key.collection.rawValue, name: key.name, generation: generation)
    }

    // MARK: The key

    /// Identifies the key of the store's records, so that a lost key is detected and not replaced.
    private static let keyRecord = StoreKey(.device, "data-key")

    /// The store's keys. Tasks that need them at the same time share one request to their home, which may run a program.
    private func dataKeys() async throws -> DataKeys {
        if let keys = cachedKeys.withLock({ $0 }) { return keys }
        return try await keyRequests.value(for: storeID) { [self] in
            if let keys = cachedKeys.withLock({ $0 }) { return keys }
            let isNew = try await base.record(for: Self.keyRecord)?.content == nil
            let keys = try await isNew ? firstKeys() : knownKeys()
            cachedKeys.withLock { $0 = keys }
            return keys
        }
    }

    /// The keys, of which the key record identifies one.
    private func knownKeys() async throws -> DataKeys {
        let content = try await base.record(for: Self.keyRecord)?.content ?? Data()
        return try checked(try await home.keys(forStore: storeID), against: content)
    }

    private func checked(_ keys: DataKeys?, against content: Data) throws -> DataKeys {
        guard let keys else { throw keyIsGone }
        guard keys.contain(String(decoding: content, as: UTF8.self)) else {
            throw home.unavailable("it holds the key of another store. Restore the right one")
        }
        return keys
    }

    /// The keys as their home has them now.
    func readKeysAgain() async throws -> DataKeys {
        cachedKeys.withLock { $0 = nil }
        return try await dataKeys()
    }

    /// Lets the key record identify the key that seals, so that the further ones are not needed any more.
    func noteCurrentKey(of keys: DataKeys) async throws {
        try await base.update(Self.keyRecord) { record in
            let identifier = Data(keys.current.identifier.utf8)
            return record?.content == identifier ? .keep : .replace(identifier)
        }
    }

    /// The keys of a store that has none yet. When several processes make one at the same time, all use the same.
    private func firstKeys() async throws -> DataKeys {
        while true {
            guard let lease = try await base.lease(for: Self.keyRecord) else {
                try await Task.sleep(for: .milliseconds(5))
                if try await base.record(for: Self.keyRecord)?.content != nil { return try await knownKeys() }
                continue
            }
            return try await lease.releasing { try await establishKeys(holding: lease) }
        }
    }

    private func establishKeys(holding lease: any StoreLease) async throws -> DataKeys {
        let record = try await base.record(for: Self.keyRecord)
        if record?.content != nil { return try await knownKeys() }
        let existing = try await home.keys(forStore: storeID)
        let keys = if let existing { existing } else { DataKeys(try await newKey()) }
        try await lease.write(Data(keys.current.identifier.utf8), replacing: record?.generation ?? 0)
        return keys
    }

    /// A key for a store without sealed records. While there are some, a missing key is never replaced: it can be restored,
    /// and the sessions could not.
    private func newKey() async throws -> DataKey {
        for collection in StoreKey.Collection.sealed {
            let records = try await base.records(in: collection).records
            guard !records.contains(where: { $0.content.map(RecordSeal.isSealed) ?? false }) else { throw keyIsGone }
        }
        return try await home.makeKey(forStore: storeID)
    }

    private var keyIsGone: TokenStoreError {
        home.unavailable("it is missing. Restore it, or move the store's folder away and sign in again")
    }
}

extension TokenStoreError {
    /// Whether a new sign-in, or a sign-out, may put the record aside.
    var isAboutContent: Bool {
        switch self {
        case .corrupt, .sealedWithOtherKey: true
        default: false
        }
    }
}

extension SealedTokenStore: RemovingTokenStore {
    /// Removes erased records, where the base does.
    package func removeRecords(erasedBefore date: Date) async throws -> Int {
        try await (base as? any RemovingTokenStore)?.removeRecords(erasedBefore: date) ?? 0
    }
}

extension SealedTokenStore: AuditedTokenStore {
    /// The trail that the base keeps.
    /// - Throws: ``TokenStoreError``.
    public func auditTrail(
        of account: AccountID, before number: Int64?, limit: Int
    ) async throws -> [AuditEntry] {
        guard let base = base as? any AuditedTokenStore else {
            throw TokenStoreError.unsupported(detail: "this store keeps no audit trail")
        }
        return try await base.auditTrail(of: account, before: number, limit: limit)
    }
}

extension SealedTokenStore: ImmediateTokenStore {
    /// The opened record, when both the base and the home of the key can be read without suspension.
    package func immediateRecord(for key: StoreKey) throws -> StoreRecord?? {
        guard let base = base as? any ImmediateTokenStore, let sealed = try base.immediateRecord(for: key) else {
            return nil
        }
        guard let sealed, sealed.content != nil else { return .some(sealed) }
        guard let keys = try immediateKeys(base) else { return nil }
        return .some(try opened(sealed, with: keys))
    }

    /// The opened records, when both the base and the home of the key can be read without suspension.
    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        guard let base = base as? any ImmediateTokenStore, let sealed = try base.immediateRecords(in: collection)
        else { return nil }
        guard sealed.records.contains(where: { $0.content != nil }) else { return sealed }
        guard let keys = try immediateKeys(base) else { return nil }
        return try opened(sealed, with: keys)
    }

    private func immediateKeys(_ base: any ImmediateTokenStore) throws -> DataKeys? {
        if let keys = cachedKeys.withLock({ $0 }) { return keys }
        guard let home = home as? any ImmediateDataKeyHome,
            let known = try base.immediateRecord(for: Self.keyRecord), let content = known?.content
        else { return nil }
        let keys = try checked(try home.immediateKeys(forStore: storeID), against: content)
        cachedKeys.withLock { $0 = keys }
        return keys
    }
}

/// A lease whose result is sealed.
private struct SealedLease: StoreLease {
    let base: any StoreLease
    let key: StoreKey
    let store: SealedTokenStore

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await store.sealing(content, for: key, replacing: generation) {
            try await base.write($0, replacing: generation)
        }
    }

    func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await store.sealing(content, for: key, replacing: generation) {
            try await base.writeLast($0, replacing: generation)
        }
    }

    var endsAt: Date? { base.endsAt }

    func release() async { await base.release() }
}
