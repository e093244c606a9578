import Foundation
import StoreFormat

/// Encrypts what another store keeps.
///
/// Contents are sealed with AES-256-GCM under one key per store, bound to the record's name and generation, so that a
/// content moved to another record does not open. Names, generations and erasures stay readable: compare-and-swap,
/// leases and sign-out work without the key. A content that is not sealed is refused, never passed on.
public final class SealedTokenStore: TokenStore {
    private let base: any TokenStore
    private let home: any DataKeyHome
    private let storeID: String
    private let cachedKey = Locked<DataKey?>(nil)
    private let keyRequests = Coalescer<String, DataKey>()

    /// Wraps `base`. Nothing is read before the first use.
    /// - Parameters:
    ///   - base: where the sealed records are.
    ///   - storeID: tells the key of this store from those of others in the same home.
    ///   - home: where the key is kept.
    public init(_ base: any TokenStore, storeID: String, key home: any DataKeyHome) {
        self.base = base
        self.storeID = storeID
        self.home = home
    }

    /// The opened record under `key`.
    /// - Throws: ``TokenStoreError``; ``TokenStoreError/keyUnavailable(home:detail:)`` when the key cannot be had.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        guard let record = try await base.record(for: key) else { return nil }
        return try await opened(record)
    }

    /// The opened records of a collection.
    /// - Throws: ``TokenStoreError``.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        let sealed = try await base.records(in: collection)
        let key = sealed.records.contains { $0.content != nil } ? try await dataKey() : nil
        return try Self.opened(sealed, with: key)
    }

    private static func opened(_ sealed: StoreListing, with key: DataKey?) throws -> StoreListing {
        var listing = StoreListing(failures: sealed.failures)
        for record in sealed.records {
            do {
                listing.records.append(try opened(record, with: key))
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
        let sealed = try await sealed(content, for: key, replacing: generation)
        let record = try await base.write(sealed, for: key, replacing: generation)
        return StoreRecord(key: key, generation: record.generation, content: content)
    }

    /// The lease on `key`.
    /// - Throws: ``TokenStoreError``.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        guard let lease = try await base.lease(for: key) else { return nil }
        return SealedLease(base: lease, key: key, store: self)
    }

    /// Sets a damaged record aside, also one that does not open.
    /// - Throws: ``TokenStoreError``.
    public func quarantine(_ key: StoreKey) async throws {
        try await base.quarantine(key)
        do {
            _ = try await record(for: key)
        } catch TokenStoreError.corrupt {
            // Sound below and damaged above: the sealed content is kept aside, as well as there is space for it, and an
            // erased record keeps the place.
            guard let damaged = try await base.record(for: key) else { return }
            let aside = StoreKey(.quarantine, "\(key.collection.rawValue)/\(key.name)")
            _ = try? await base.update(aside) { _ in .replace(damaged.content) }
            try await base.write(nil, for: key, replacing: damaged.generation)
        }
    }

    /// The changes from now on.
    public func changes() -> AsyncStream<StoreChange> { base.changes() }

    /// The marker of the sealed record.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { base.marker(for: key) }

    // MARK: Sealing and opening

    fileprivate func sealed(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> Data? {
        guard let content else { return nil }
        return try await dataKey().seal(content, at: Self.place(of: key, generation: generation &+ 1))
    }

    private func opened(_ record: StoreRecord) async throws -> StoreRecord {
        guard let sealed = record.content else { return record }
        try Self.requireSealed(sealed, of: record)
        return try Self.opened(record, with: try await dataKey())
    }

    private static func opened(_ record: StoreRecord, with key: DataKey?) throws -> StoreRecord {
        guard let sealed = record.content, let key else { return record }
        try requireSealed(sealed, of: record)
        let content = try key.open(sealed, at: place(of: record.key, generation: record.generation))
        return StoreRecord(key: record.key, generation: record.generation, content: content)
    }

    private static func requireSealed(_ content: Data, of record: StoreRecord) throws {
        guard RecordSeal.isSealed(content) else {
            throw TokenStoreError.insecure(
                path: record.key.name, detail: "the record is not sealed, but this store keeps sealed records only")
        }
    }

    private static func place(of key: StoreKey, generation: UInt64) -> RecordSeal.Place {
        RecordSeal.Place(collection: key.collection.rawValue, name: key.name, generation: generation)
    }

    // MARK: The key

    /// Names the key the store's records are sealed with, so that a lost key is noticed instead of replaced.
    private static let keyRecord = StoreKey(.device, "data-key")

    /// The store's key. Its home is asked once, however many tasks come at the same time: a keyring is a program to run.
    private func dataKey() async throws -> DataKey {
        if let key = cachedKey.withLock({ $0 }) { return key }
        return try await keyRequests.value(for: storeID) { [self] in
            if let key = cachedKey.withLock({ $0 }) { return key }
            let isNew = try await base.record(for: Self.keyRecord)?.content == nil
            let key = try await isNew ? firstKey() : knownKey()
            cachedKey.withLock { $0 = key }
            return key
        }
    }

    /// The key the store already knows.
    private func knownKey() async throws -> DataKey {
        let content = try await base.record(for: Self.keyRecord)?.content ?? Data()
        return try checked(try await home.key(forStore: storeID), against: content)
    }

    private func checked(_ key: DataKey?, against content: Data) throws -> DataKey {
        guard let key else { throw keyIsGone }
        guard key.identifier == String(decoding: content, as: UTF8.self) else {
            throw TokenStoreError.keyUnavailable(
                home: home.name, detail: "it holds the key of another store. Restore the right one")
        }
        return key
    }

    /// The key of a store that has none yet. Of several processes that make one at the same time, one wins.
    private func firstKey() async throws -> DataKey {
        while true {
            guard let lease = try await base.lease(for: Self.keyRecord) else {
                try await Task.sleep(for: .milliseconds(5))
                if try await base.record(for: Self.keyRecord)?.content != nil { return try await knownKey() }
                continue
            }
            do {
                let key = try await establishKey(holding: lease)
                await lease.release()
                return key
            } catch {
                await lease.release()
                throw error
            }
        }
    }

    private func establishKey(holding lease: any StoreLease) async throws -> DataKey {
        let record = try await base.record(for: Self.keyRecord)
        if record?.content != nil { return try await knownKey() }
        let existing = try await home.key(forStore: storeID)
        let key = if let existing { existing } else { try await newKey() }
        try await lease.write(Data(key.identifier.utf8), replacing: record?.generation ?? 0)
        return key
    }

    /// A key for a store that holds nothing yet. A key that is gone is never replaced while something is sealed with it:
    /// that would turn a key that can be brought back into sessions that cannot.
    private func newKey() async throws -> DataKey {
        for collection in [StoreKey.Collection.accounts, .refreshes, .pendingFlows, .device] {
            let records = try await base.records(in: collection).records
            guard !records.contains(where: { $0.content.map(RecordSeal.isSealed) ?? false }) else { throw keyIsGone }
        }
        return try await home.makeKey(forStore: storeID)
    }

    private var keyIsGone: TokenStoreError {
        .keyUnavailable(
            home: home.name, detail: "it is gone. Restore it, or move the store's folder away and sign in again")
    }
}

extension SealedTokenStore: ImmediateTokenStore {
    /// The opened records, when neither the store below nor the home of the key makes anybody wait.
    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        guard let base = base as? any ImmediateTokenStore, let sealed = try base.immediateRecords(in: collection)
        else { return nil }
        guard sealed.records.contains(where: { $0.content != nil }) else { return sealed }
        guard let key = try immediateKey(base) else { return nil }
        return try Self.opened(sealed, with: key)
    }

    private func immediateKey(_ base: any ImmediateTokenStore) throws -> DataKey? {
        if let key = cachedKey.withLock({ $0 }) { return key }
        guard let home = home as? any ImmediateDataKeyHome,
            let known = try base.immediateRecords(in: .device)?.records.first(where: { $0.key == Self.keyRecord }),
            let content = known.content
        else { return nil }
        let key = try checked(try home.immediateKey(forStore: storeID), against: content)
        cachedKey.withLock { $0 = key }
        return key
    }
}

/// A lease whose result is sealed.
private struct SealedLease: StoreLease {
    let base: any StoreLease
    let key: StoreKey
    let store: SealedTokenStore

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        let sealed = try await store.sealed(content, for: key, replacing: generation)
        let record = try await base.write(sealed, replacing: generation)
        return StoreRecord(key: key, generation: record.generation, content: content)
    }

    var endsAt: Date? { base.endsAt }

    func release() async { await base.release() }
}
