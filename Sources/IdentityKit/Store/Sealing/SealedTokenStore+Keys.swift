import Foundation
import IdentityStoreFormat

/// How the keys of the store are found, created once, and created again on another device.
extension SealedTokenStore {
    /// Record that identifies the key of the store, so that a lost key is detected and not replaced.
    static let keyRecord = StoreKey(.device, "data-key")
    /// Record that identifies the device that has the key, if the key stays on one device.
    private static let deviceRecord = StoreKey(.device, "data-key-device")

    /// The store's keys. Simultaneous callers share one request to the home, which may run a program.
    func dataKeys() async throws -> DataKeys {
        if let keys = cachedKeys.withLock({ $0 }) { return keys }
        // Do not ask a person for a key that nobody waits for any more.
        let abandonment = home is any RevocableDataKeyHome ? .cancel : Coalescer<String, DataKeys>.Abandonment.finish
        return try await keyRequests.value(for: storeID, whenAbandoned: abandonment) { [self] in
            if let keys = cachedKeys.withLock({ $0 }) { return keys }
            let isKnown = try await hasKeyRecord()
            let known = if isKnown { try await knownKeys() } else { DataKeys?.none }
            let keys = if let known { known } else { try await firstKeys() }
            try await noteDevice()
            cachedKeys.withLock { $0 = keys }
            return keys
        }
    }

    /// Whether the key record identifies a key. A damaged record is set aside and written again, because its content is
    /// known as long as the key decrypts the other records.
    private func hasKeyRecord() async throws -> Bool {
        do {
            return try await wrapped.record(for: Self.keyRecord)?.content != nil
        } catch TokenStoreError.corrupt {
            guard let keys = try await home.keys(forStore: storeID) else { throw keyIsGone }
            let sealed = try await sealedRecords()
            guard sealed.isEmpty || sealed.contains(where: { keys.open($0) }) else { throw keyIsAnother }
            try await wrapped.quarantine(Self.keyRecord)
            return false
        }
    }

    /// The keys, provided that the key record identifies one of them; `nil` when they stayed on another device or the
    /// system has deleted them.
    private func knownKeys() async throws -> DataKeys? {
        while let content = try await wrapped.record(for: Self.keyRecord)?.content {
            let mistake: TokenStoreError
            if let keys = try await home.keys(forStore: storeID) {
                if keys.contain(String(decoding: content, as: UTF8.self)) { return keys }
                mistake = keyIsAnother
            } else {
                guard try await isToBeHere() else { return nil }
                mistake = keyIsGone
            }
            // Compare the record again, because another process may have changed the key and the record between the two
            // reads.
            if try await wrapped.record(for: Self.keyRecord)?.content == content { throw mistake }
        }
        return nil
    }

    /// Whether to wait for a missing key, because somebody can restore it or because this device had it.
    private func isToBeHere() async throws -> Bool {
        if home is any RevocableDataKeyHome { return false }
        guard let device = try await home.deviceIdentifier() else { return true }
        return try await wrapped.record(for: Self.deviceRecord)?.content == Data(device.utf8)
    }

    /// Stores which device has the key. If that fails, the next process does it.
    private func noteDevice() async throws {
        guard let device = try await home.deviceIdentifier() else { return }
        _ = try? await wrapped.update(Self.deviceRecord) { record in
            record?.content == Data(device.utf8) ? .keep : .replace(Data(device.utf8))
        }
    }

    func readKeysAgain() async throws -> DataKeys {
        cachedKeys.withLock { $0 = nil }
        return try await dataKeys()
    }

    /// Makes the key record identify the current key, after which the other keys are no longer needed.
    func noteCurrentKey(of keys: DataKeys) async throws {
        try await wrapped.update(Self.keyRecord) { record in
            let identifier = Data(keys.current.identifier.utf8)
            return record?.content == identifier ? .keep : .replace(identifier)
        }
    }

    /// Creates the first keys of a store that has none yet, or none any more. Processes that do so at the same time use
    /// the same key.
    private func firstKeys() async throws -> DataKeys {
        while true {
            guard let lease = try await wrapped.lease(for: Self.keyRecord) else {
                try await Task.sleep(for: .milliseconds(5))
                if try await wrapped.record(for: Self.keyRecord)?.content != nil, let keys = try await knownKeys() {
                    return keys
                }
                continue
            }
            return try await lease.releasing { try await establishKeys(holding: lease) }
        }
    }

    private func establishKeys(holding lease: any StoreLease) async throws -> DataKeys {
        var record = try await wrapped.record(for: Self.keyRecord)
        if record?.content != nil {
            if let keys = try await knownKeys() { return keys }
            try await setSealedRecordsAside()
            // Erase the record before creating the new key: if the process dies in between, the store has no key yet.
            record = try await lease.write(nil, replacing: record?.generation ?? 0)
        }
        let existing = try await home.keys(forStore: storeID)
        let keys = if let existing { existing } else { DataKeys(try await newKey()) }
        try await lease.write(Data(keys.current.identifier.utf8), replacing: record?.generation ?? 0)
        return keys
    }

    /// Creates a key for a store without encrypted records. While there are any, a missing key is never replaced,
    /// because the key can be restored but the sessions cannot.
    private func newKey() async throws -> DataKey {
        guard try await sealedRecords().isEmpty else { throw keyIsGone }
        return try await home.makeKey(forStore: storeID)
    }

    private func sealedRecords() async throws -> [StoreRecord] {
        var sealed: [StoreRecord] = []
        for collection in StoreKey.Collection.sealed {
            sealed += try await wrapped.records(in: collection).records.filter {
                $0.content.map(RecordSeal.isSealed) ?? false
            }
        }
        return sealed
    }

    /// Erases records that nobody can decrypt any more, because their key stayed on another device. Their encrypted
    /// contents are kept in quarantine.
    private func setSealedRecordsAside() async throws {
        let records = try await sealedRecords()
        guard !records.isEmpty else { return }
        for record in records { try await setAside(record) }
        restarts.withLock { $0.begin() }
    }

    private var keyIsAnother: TokenStoreError {
        home.unavailable("it holds the key of another store. Restore the right one")
    }

    private var keyIsGone: TokenStoreError {
        home.unavailable("it is missing. Restore it, or move the store's folder away and sign in again")
    }

    func immediateKeys(_ store: any ImmediateTokenStore) throws -> DataKeys? {
        if let keys = cachedKeys.withLock({ $0 }) { return keys }
        guard let home = home as? any ImmediateDataKeyHome,
            // Repairing a damaged record requires waiting.
            let known = try? store.immediateRecord(for: Self.keyRecord), let content = known?.content
        else { return nil }
        // Finding out whether a key is missing or replaced requires waiting.
        guard let found = try home.immediateKeys(forStore: storeID) else { return nil }
        guard found.contain(String(decoding: content, as: UTF8.self)) else { return nil }
        cachedKeys.withLock { $0 = found }
        return found
    }
}

extension DataKeys {
    fileprivate func open(_ record: StoreRecord) -> Bool {
        let place = SealedTokenStore.place(of: record.key, generation: record.generation)
        let content = record.content.flatMap { try? open($0, at: place) }
        return content != nil
    }
}

/// Counts how often a store has started empty because its key stayed on another device.
struct Restarts: Sendable {
    private(set) var count = 0
    private var isTold = true

    mutating func begin() {
        count += 1
        isTold = false
    }

    /// Whether there was a restart that was not reported yet.
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

    /// Runs `read`, and runs it again if the store has started empty meanwhile, because the records of the first result
    /// were set aside.
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
