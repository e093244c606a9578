import Foundation
import IdentityStoreFormat

/// Encrypts the records of another store.
///
/// The store encrypts contents with AES-256-GCM under one key, and binds them to the record's collection, name and
/// generation (version number), so that content moved to another record cannot be decrypted. Names and generations are not
/// encrypted, and an erased record has no content, so compare-and-swap, leases and sign-out work without the key. Reading
/// unencrypted content throws ``/IdentityCore/TokenStoreError/insecure(path:detail:)``.
package final class SealedTokenStore: TokenStoreWrapper {
    /// The store that holds the encrypted records.
    package let wrapped: any TokenStore
    let home: any DataKeyHome
    let storeID: String
    let time: TimeSource
    let cachedKeys = Locked<CachedKeys?>(nil)
    let keyRequests = Coalescer<String, DataKeys>()
    let restarts = Locked(Restarts())

    /// Encrypts the records of `wrapped`. Nothing is read before the first use.
    /// - Parameters:
    ///   - wrapped: the store that holds the encrypted records.
    ///   - storeID: identifies the key of this store in its home.
    ///   - home: where the key is kept.
    ///   - time: the clock that measures the age of the keys in memory.
    package init(
        _ wrapped: any TokenStore, storeID: String, key home: any DataKeyHome, time: TimeSource = .system
    ) {
        self.wrapped = wrapped
        self.storeID = storeID
        self.home = home
        self.time = time
    }

    /// The decrypted record under `key`; `nil` when it was never written.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``; `CancellationError` when the task is cancelled
    ///   while it waits for the key.
    package func record(for key: StoreKey) async throws -> StoreRecord? {
        try await againAfterRestart {
            guard let record = try await wrapped.record(for: key) else { return nil }
            return try await opened(record)
        }
    }

    /// The decrypted records under `keys`, without those that were never written.
    /// - Throws: as `record(for:)`, also when one of the records cannot be decrypted.
    package func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        try await againAfterRestart {
            var opened: [StoreRecord] = []
            for record in try await wrapped.records(for: keys) { opened.append(try await self.opened(record)) }
            return opened
        }
    }

    /// The decrypted records of a collection. An error of one record is added to ``/IdentityCore/StoreListing/failures``.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the collection or the key cannot be read; `CancellationError`
    ///   when the task is cancelled while it waits for the key.
    package func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await againAfterRestart { try await opened(try await wrapped.records(in: collection)) }
    }

    private func opened(_ sealed: StoreListing) async throws -> StoreListing {
        guard sealed.records.contains(where: { $0.content != nil }) else { return sealed }
        let keys = try await dataKeys()
        let listing = try opened(sealed, with: keys)
        guard listing.failures.contains(where: { if case .sealedWithOtherKey = $0 { true } else { false } }),
            let newer = await newerKeys()
        else { return listing }
        return try opened(sealed, with: newer)
    }

    /// A page of decrypted records of a collection. An error of one record is added to
    /// ``/IdentityCore/StoreListing/failures``.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the collection or the key cannot be read; `CancellationError`
    ///   when the task is cancelled while it waits for the key.
    package func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StoreListing {
        try await againAfterRestart {
            try await opened(try await wrapped.page(of: collection, after: position, limit: limit))
        }
    }

    private func opened(_ sealed: StoreListing, with keys: DataKeys?) throws -> StoreListing {
        var listing = StoreListing(failures: sealed.failures, next: sealed.next)
        for record in sealed.records {
            do {
                listing.records.append(try opened(record, with: keys))
            } catch let error as TokenStoreError {
                listing.failures.append(error)
            }
        }
        return listing
    }

    /// Encrypts the content, and writes it if the record still has `generation`. Erasing a record does not need the key.
    /// - Returns: the new record, with unencrypted content.
    /// - Throws: ``/IdentityCore/TokenStoreError``; `CancellationError` when the task is cancelled while it waits; also
    ///   the errors of ``DataKeyHome/makeKey(forStore:)`` if the store has no key yet.
    @discardableResult
    package func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await sealing(content, for: key, replacing: generation) {
            try await wrapped.write($0, for: key, replacing: generation)
        }
    }

    /// Claims the lease on `key` in the wrapped store. Returns a lease that encrypts what its holder writes; `nil` while
    /// another holder has the lease.
    /// - Throws: ``/IdentityCore/TokenStoreError``; `CancellationError` when the task is cancelled while it waits.
    package func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        guard let lease = try await wrapped.lease(for: key) else { return nil }
        return SealedLease(base: lease, key: key, store: self)
    }

    /// Moves a damaged record to the quarantine. A record also counts as damaged if its content cannot be decrypted, because
    /// the content was changed or the home does not have the key.
    /// - Throws: ``/IdentityCore/TokenStoreError``; `CancellationError` when the task is cancelled while it waits.
    package func quarantine(_ key: StoreKey) async throws {
        try await wrapped.quarantine(key)
        guard let found = try await wrapped.record(for: key) else { return }
        do {
            _ = try await opened(found)
        } catch let error as TokenStoreError where error.isAboutContent {
            // The wrapped store can read the record, but its content cannot be decrypted. If another process has replaced
            // it meanwhile, keep the new record.
            do { try await setAside(found) } catch TokenStoreError.conflict {}
        }
    }

    /// Erases the record, after keeping its encrypted content in quarantine if it can be written there.
    func setAside(_ record: StoreRecord) async throws {
        _ = try? await wrapped.update(record.key.inQuarantine) { _ in .replace(record.content) }
        // Do not record this erasure in the audit trail. During a sign-in or sign-out, the erasure only prepares the write
        // of the record that follows, and that write has an entry.
        _ = try await SessionAction.whilePreparing {
            try await wrapped.write(nil, for: record.key, replacing: record.generation)
        }
    }

    /// Encrypts `content` for the next generation, and passes it to `write`. For an erasure, passes `nil`.
    /// - Returns: the record with unencrypted content.
    fileprivate func sealing(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64,
        _ write: (Data?) async throws -> StoreRecord
    ) async throws -> StoreRecord {
        let place = Self.place(of: key, generation: generation &+ 1)
        let sealed: Data? = if let content { try await sealingKey().seal(content, at: place) } else { nil }
        return StoreRecord(key: key, generation: try await write(sealed).generation, content: content)
    }

    private func opened(_ record: StoreRecord) async throws -> StoreRecord {
        guard let sealed = record.content else { return record }
        try Self.requireSealed(sealed, of: record)
        let keys = try await dataKeys()
        do {
            return try opened(record, with: keys)
        } catch TokenStoreError.sealedWithOtherKey {
            return try opened(record, with: try await self.keys(insteadOf: keys))
        }
    }

    private func opened(_ record: StoreRecord, with keys: DataKeys?) throws -> StoreRecord {
        guard let sealed = record.content, let keys else { return record }
        try Self.requireSealed(sealed, of: record)
        let place = Self.place(of: record.key, generation: record.generation)
        // If none of the keys fits, do not report damage: the content can be decrypted once the home has the right key.
        guard let content = try keys.open(sealed, at: place) else {
            throw TokenStoreError.sealedWithOtherKey(path: record.key.name, home: home.name)
        }
        return StoreRecord(key: record.key, generation: record.generation, content: content, age: record.age)
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
}

extension TokenStore {
    /// A store that keeps its records encrypted in this one. Nothing is read before its first use.
    ///
    /// Contents are encrypted with AES-256-GCM under one key, and bound to the record's collection, name and generation
    /// (version number), so that content moved to another record cannot be decrypted. Names and generations are not
    /// encrypted, and an erased record has no content, so compare-and-swap, leases and sign-out work without the key.
    /// Without the key, reading a content throws ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``. Reading
    /// unencrypted content throws ``/IdentityCore/TokenStoreError/insecure(path:detail:)``.
    /// - Parameters:
    ///   - storeID: identifies the key of this store in its home.
    ///   - home: where the key is kept.
    public func sealed(storeID: String, key home: any DataKeyHome) -> any TokenStore {
        SealedTokenStore(self, storeID: storeID, key: home)
    }

    /// The store inside a ``SealedTokenStore``. The contents that it returns are encrypted. `nil` for a store without
    /// encryption.
    package var sealedRecords: (any TokenStore)? { layer(SealedTokenStore.self)?.wrapped }
}

extension SealedTokenStore: ImmediateTokenStore {
    /// The decrypted record; `.some(nil)` if it was never written. `nil` if reading requires waiting for the wrapped store
    /// or, for a record with content, for the key.
    package func immediateRecord(for key: StoreKey) throws -> StoreRecord?? {
        guard let store = wrapped as? any ImmediateTokenStore, let sealed = try store.immediateRecord(for: key) else {
            return nil
        }
        guard let sealed, sealed.content != nil else { return .some(sealed) }
        guard let keys = try immediateKeys(store) else { return nil }
        return .some(try opened(sealed, with: keys))
    }

    /// The decrypted records of a collection. `nil` if reading requires waiting for the wrapped store or, when a record has
    /// content, for the key.
    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        guard let store = wrapped as? any ImmediateTokenStore, let sealed = try store.immediateRecords(in: collection)
        else { return nil }
        guard sealed.records.contains(where: { $0.content != nil }) else { return sealed }
        guard let keys = try immediateKeys(store) else { return nil }
        return try opened(sealed, with: keys)
    }

    package func immediateWrite(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) throws -> StoreRecord? {
        guard let store = wrapped as? any ImmediateTokenStore, let current = try immediateSealingKey(store) else {
            return nil
        }
        let place = Self.place(of: key, generation: generation &+ 1)
        let sealed = try content.map { try current.seal($0, at: place) }
        return try store.immediateWrite(sealed, for: key, replacing: generation).map {
            StoreRecord(key: key, generation: $0.generation, content: content)
        }
    }
}

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

    var endsAt: ContinuousClock.Instant? { base.endsAt }
    var isConfirmed: Bool { base.isConfirmed }
    var hasPredecessorEnded: Bool { base.hasPredecessorEnded }

    func release() async { await base.release() }
}
