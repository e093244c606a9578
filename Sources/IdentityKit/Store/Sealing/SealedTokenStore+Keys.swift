import Foundation
import IdentityStoreFormat

/// Finds the keys of the store in its ``home``, a ``DataKeyHome`` such as a keyring or a key file. Creates a key for a new
/// store, and for a store whose key stayed on another device or was deleted by the system.
extension SealedTokenStore {
    /// Record with the identifier of the store's key. A store with this record detects that its key is lost, instead of
    /// creating a new key.
    static let keyRecord = StoreKey(.device, "data-key")
    /// Record with the identifier of the device that has the key. Written only if the keys of the home never leave the
    /// device.
    private static let deviceRecord = StoreKey(.device, "data-key-device")

    /// The store's keys, which are created when needed and then kept in memory. Simultaneous callers share one request to
    /// the home, because a request may run a program.
    func dataKeys() async throws -> DataKeys {
        if let cached = cachedKeys.withLock({ $0 }) { return cached.keys }
        // If nobody waits for the keys any more, cancel the request if it may ask a person. Any other request continues.
        let abandonment = home is any RevocableDataKeyHome ? .cancel : Coalescer<String, DataKeys>.Abandonment.finish
        return try await keyRequests.value(for: storeID, whenAbandoned: abandonment) { [self] in
            if let cached = cachedKeys.withLock({ $0 }) { return cached.keys }
            let start = time.mark
            let isKnown = try await hasKeyRecord()
            let known = if isKnown { try await knownKeys() } else { DataKeys?.none }
            let keys = if let known { known } else { try await firstKeys() }
            try await noteDevice()
            cachedKeys.withLock { $0 = CachedKeys(keys: keys, readAt: start) }
            return keys
        }
    }

    /// Reads the keys of a store that has had a key before, unless they are in memory or the home may ask a person for them.
    /// - Throws: as ``dataKeys()``.
    func requireKeys() async throws {
        let mayAskPerson = home is any RevocableDataKeyHome || home is any LockableDataKeyHome
        guard !mayAskPerson, cachedKeys.withLock({ $0 }) == nil, try await hasKeyRecord() else { return }
        _ = try await dataKeys()
    }

    /// The key to encrypt new contents with: the home's current key, read again if the keys in memory are at least a minute
    /// old and the home can be read without waiting.
    /// - Throws: as ``dataKeys()``.
    func sealingKey() async throws -> DataKey {
        let keys = try await dataKeys()
        return (await newerKeys() ?? keys).current
    }

    /// The home's keys, read again if the keys in memory are at least a minute old. The new keys replace those in memory.
    /// `nil` when ``keysAfterAMinute()`` returns `nil`, or when the key record identifies none of the keys that were read. The
    /// caller then keeps using the keys in memory.
    func newerKeys() async -> DataKeys? {
        guard let newer = keysAfterAMinute() else { return nil }
        return cache(newer, for: try? await wrapped.record(for: Self.keyRecord))
    }

    /// The home's keys, read again because the home may have received another current key. `nil` in these cases:
    ///
    /// - There are no keys in memory, or they were read less than a minute ago.
    /// - Reading the home requires waiting, such as for a person.
    /// - The home has no keys, or cannot be read now.
    private func keysAfterAMinute() -> CachedKeys? {
        guard let cached = cachedKeys.withLock({ $0 }), time.elapsed(since: cached.readAt) >= .seconds(60),
            let home = home as? any ImmediateDataKeyHome
        else { return nil }
        let start = time.mark
        let keys = (try? home.immediateKeys(forStore: storeID)).flatMap { DataKeys($0) }
        return keys.map { CachedKeys(keys: $0, readAt: start) }
    }

    /// Keeps the keys in memory if the key record identifies one of them; otherwise returns `nil`.
    private func cache(_ found: CachedKeys, for record: StoreRecord?) -> DataKeys? {
        guard let content = record?.content, found.keys.contain(String(decoding: content, as: UTF8.self)) else {
            return nil
        }
        cachedKeys.withLock { $0 = found }
        return found.keys
    }

    /// Whether the key record has content. If the record is damaged, the home's keys are first tested: if the store has
    /// encrypted records, the keys must decrypt at least one of them. The damaged record is then moved to the quarantine, and
    /// the result is `false`, so that the caller writes the record again.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when the key record is damaged, and the home
    ///   has no key or only keys that decrypt none of the encrypted records; `CancellationError`.
    private func hasKeyRecord() async throws -> Bool {
        do {
            return try await wrapped.record(for: Self.keyRecord)?.content != nil
        } catch TokenStoreError.corrupt {
            guard let keys = try await keysOfHome() else { throw keyIsGone }
            let sealed = try await sealedRecords()
            guard sealed.isEmpty || sealed.contains(where: { keys.open($0) }) else { throw keyIsAnother }
            try await wrapped.quarantine(Self.keyRecord)
            return false
        }
    }

    /// The home's keys, if the key record identifies one of them. `nil` when the keys stayed on another device, the
    /// system has deleted them, or the key record has no content any more.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when the key is missing although this device
    ///   should have it, or the home has only other keys; `CancellationError`.
    private func knownKeys() async throws -> DataKeys? {
        while let content = try await wrapped.record(for: Self.keyRecord)?.content {
            let mistake: TokenStoreError
            if let keys = try await keysOfHome() {
                if keys.contain(String(decoding: content, as: UTF8.self)) { return keys }
                mistake = keyIsAnother
            } else {
                guard try await isToBeHere() else { return nil }
                mistake = keyIsGone
            }
            // Read the record again, because another process may have changed the key and the record since the first read.
            if try await wrapped.record(for: Self.keyRecord)?.content == content { throw mistake }
        }
        return nil
    }

    /// The home's keys; `nil` when there certainly are none.
    private func keysOfHome() async throws -> DataKeys? { DataKeys(try await home.keys(forStore: storeID)) }

    /// Whether the absence of the key is an error, because the key can be restored, or the device record names this device.
    /// If not, the key stayed on another device or was deleted by the system, and the store starts empty.
    private func isToBeHere() async throws -> Bool {
        if home is any RevocableDataKeyHome { return false }
        guard let device = try await deviceIdentifier() else { return true }
        return try await wrapped.record(for: Self.deviceRecord)?.content == Data(device.utf8)
    }

    /// The identifier of this device; `nil` if the home's keys can be moved to another device.
    private func deviceIdentifier() async throws -> String? {
        try await (home as? any DeviceBoundDataKeyHome)?.deviceIdentifier()
    }

    /// Writes this device's identifier to the device record. A failed write is ignored, because the next process tries
    /// again.
    /// - Throws: an error of the home when it cannot read the device's identifier.
    private func noteDevice() async throws {
        guard let device = try await deviceIdentifier() else { return }
        _ = try? await wrapped.update(Self.deviceRecord) { record in
            record?.content == Data(device.utf8) ? .keep : .replace(Data(device.utf8))
        }
    }

    /// The home's current keys, read again because the home may have received another key since `former` were read. If the
    /// home has no usable keys, `former` stay in memory.
    /// - Throws: as ``dataKeys()``.
    func keys(insteadOf former: DataKeys) async throws -> DataKeys {
        let cached = cachedKeys.withLock { cached in
            defer { if cached?.keys == former { cached = nil } }
            return cached
        }
        do {
            return try await dataKeys()
        } catch {
            cachedKeys.withLock { $0 = $0 ?? cached }
            throw error
        }
    }

    func readKeysAgain() async throws -> DataKeys {
        cachedKeys.withLock { $0 = nil }
        return try await dataKeys()
    }

    /// Writes the current key's identifier to the key record. Call it once no record is encrypted with one of the other
    /// keys.
    func noteCurrentKey(of keys: DataKeys) async throws {
        try await wrapped.update(Self.keyRecord) { record in
            let identifier = Data(keys.current.identifier.utf8)
            return record?.content == identifier ? .keep : .replace(identifier)
        }
    }

    /// Finds or creates the keys of a store that has no valid key record. Only the holder of the lease on the key record
    /// creates a key, so that simultaneous processes use the same key.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/busy(path:)`` after a minute of
    ///   pauses while another holder had the lease; also the errors of ``DataKeyHome``, and `CancellationError`.
    private func firstKeys() async throws -> DataKeys {
        try await Backoff.result(
            within: .seconds(60), orThrow: TokenStoreError.busy(path: Self.keyRecord.name), pausing: time.sleep(for:)
        ) {
            if let lease = try await wrapped.lease(for: Self.keyRecord) {
                return try await lease.releasing { try await establishKeys(holding: lease) }
            }
            guard try await wrapped.record(for: Self.keyRecord)?.content != nil else { return nil }
            return try await knownKeys()
        }
    }

    private func establishKeys(holding lease: any StoreLease) async throws -> DataKeys {
        var record = try await wrapped.record(for: Self.keyRecord)
        if record?.content != nil {
            if let keys = try await knownKeys() { return keys }
            try await setSealedRecordsAside()
            // Erase the key record before creating the new key: if the process dies in between, the next one creates a key.
            record = try await lease.write(nil, replacing: record?.generation ?? 0)
        }
        let existing = try await keysOfHome()
        let keys = if let existing { existing } else { DataKeys(try await newKey()) }
        try await lease.write(Data(keys.current.identifier.utf8), replacing: record?.generation ?? 0)
        return keys
    }

    /// Creates a key, unless a collection in `StoreKey.Collection.sealed` has encrypted records. While there are such
    /// records, a missing key is never replaced: somebody may restore it, and with a new key the sessions would be lost.
    private func newKey() async throws -> DataKey {
        guard try await sealedRecords().isEmpty else { throw keyIsGone }
        return try await home.makeKey(forStore: storeID)
    }

    private func sealedRecords(
        in collections: [StoreKey.Collection] = StoreKey.Collection.sealed
    ) async throws -> [StoreRecord] {
        var sealed: [StoreRecord] = []
        for collection in collections {
            sealed += try await wrapped.records(in: collection).records.filter {
                $0.content.map(RecordSeal.isSealed) ?? false
            }
        }
        return sealed
    }

    /// Erases records that nobody can decrypt any more, because their key stayed on another device or the system has
    /// deleted it. Their encrypted contents are kept in quarantine if they can be written there.
    private func setSealedRecordsAside() async throws {
        let records = try await sealedRecords(
            in: StoreKey.Collection.sealed + [.currentAccounts, .pauses, .revocations])
        guard !records.isEmpty else { return }
        for record in records { try await setAside(record) }
        restarts.withLock { $0.begin() }
    }

    private var keyIsAnother: TokenStoreError {
        home.unavailable("it holds the key of another store. Restore the right one")
    }

    private var keyIsGone: TokenStoreError {
        home is any LockableDataKeyHome
            ? home.unavailable(
                "it is missing, or the keyring is locked. Unlock the keyring first. If the key is gone, restore it, or move "
                    + "the store's folder away and sign in again")
            : home.unavailable("it is missing. Restore it, or move the store's folder away and sign in again")
    }

    /// Returns the keys from memory, or else from ``home``; `nil` if getting them requires waiting.
    func immediateKeys(_ store: any ImmediateTokenStore) throws -> DataKeys? {
        if let cached = cachedKeys.withLock({ $0 }) { return cached.keys }
        let start = time.mark
        guard let home = home as? any ImmediateDataKeyHome,
            // If the record is damaged, return `nil`, because repairing it requires waiting.
            let known = try? store.immediateRecord(for: Self.keyRecord), known?.content != nil
        else { return nil }
        // Return `nil` if the key is missing or is not the one that the record identifies, because finding out the reason
        // requires waiting.
        guard let found = DataKeys(try home.immediateKeys(forStore: storeID)) else { return nil }
        return cache(CachedKeys(keys: found, readAt: start), for: known)
    }

    /// The key to encrypt new contents with, chosen as in ``sealingKey()``; `nil` if getting the keys requires waiting.
    func immediateSealingKey(_ store: any ImmediateTokenStore) throws -> DataKey? {
        guard let keys = try immediateKeys(store) else { return nil }
        guard let newer = keysAfterAMinute() else { return keys.current }
        let record: StoreRecord? = (try? store.immediateRecord(for: Self.keyRecord)) ?? nil
        return (cache(newer, for: record) ?? keys).current
    }
}

/// The keys of a store in memory.
struct CachedKeys: Sendable {
    let keys: DataKeys
    /// The moment before the keys were read from their home.
    let readAt: TimeSource.Mark
}

extension DataKeys {
    fileprivate func open(_ record: StoreRecord) -> Bool {
        let place = SealedTokenStore.place(of: record.key, generation: record.generation)
        let content = record.content.flatMap { try? open($0, at: place) }
        return content != nil
    }
}

/// Counts how often a store has started empty because its key stayed on another device or the system has deleted it.
struct Restarts: Sendable {
    private(set) var count = 0
    private var isTold = true

    mutating func begin() {
        count += 1
        isTold = false
    }

    /// Returns whether the store has started empty since the last call.
    mutating func take() -> Bool {
        defer { isTold = true }
        return !isTold
    }
}

extension SealedTokenStore: EventfulTokenStore {
    package func takeEvents() -> [StoreEvent] {
        let own = restarts.withLock { $0.take() } ? [StoreEvent(.startedAnew, StoreKey(.accounts, ""))] : []
        return own + (wrapped.layer((any EventfulTokenStore).self)?.takeEvents() ?? [])
    }

    /// Runs `read`, and runs it again if the store has started empty meanwhile, because the records of the first result are
    /// then erased.
    func againAfterRestart<Result>(_ read: () async throws -> Result) async throws -> Result {
        let count = restarts.withLock { $0.count }
        do {
            let result = try await read()
            if restarts.withLock({ $0.count }) == count { return result }
        } catch {
            if restarts.withLock({ $0.count }) == count { throw error }
        }
        return try await read()
    }
}
