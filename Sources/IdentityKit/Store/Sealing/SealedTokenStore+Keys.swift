import Foundation
import IdentityStoreFormat

/// The keys of the store: found, made once, and made anew on another device.
extension SealedTokenStore {
    /// Identifies the key of the store's records, so that a lost key is detected and not replaced.
    static let keyRecord = StoreKey(.device, "data-key")
    /// Identifies the device that has the key, where it has no other one.
    private static let deviceRecord = StoreKey(.device, "data-key-device")

    /// The store's keys. Tasks that need them at the same time share one request to their home, which may run a program.
    func dataKeys() async throws -> DataKeys {
        if let keys = cachedKeys.withLock({ $0 }) { return keys }
        // Nobody is asked for a key that nobody waits for any more.
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

    /// Whether the key record identifies a key. A damaged record is put aside and written again: what it said is known as
    /// long as the key opens what it has sealed.
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

    /// The keys, of which the key record identifies one; `nil` when they stayed on another device, or the system has taken
    /// them away.
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
            // Making a key changes the record, also in another process, so both looks may be of different times.
            if try await wrapped.record(for: Self.keyRecord)?.content == content { throw mistake }
        }
        return nil
    }

    /// Whether a key that is missing here is waited for: somebody can restore it, or this device had it.
    private func isToBeHere() async throws -> Bool {
        if home is any RevocableDataKeyHome { return false }
        guard let device = try await home.deviceIdentifier() else { return true }
        return try await wrapped.record(for: Self.deviceRecord)?.content == Data(device.utf8)
    }

    /// Notes which device has the key. Where that cannot be written, the next process does.
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

    /// Lets the key record identify the key that seals, so that the further ones are not needed any more.
    func noteCurrentKey(of keys: DataKeys) async throws {
        try await wrapped.update(Self.keyRecord) { record in
            let identifier = Data(keys.current.identifier.utf8)
            return record?.content == identifier ? .keep : .replace(identifier)
        }
    }

    /// The keys of a store that has none yet, or none any more. When several processes make one at the same time, all use
    /// the same.
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
            // Before the new key: a process that dies in between leaves a store that has none yet.
            record = try await lease.write(nil, replacing: record?.generation ?? 0)
        }
        let existing = try await home.keys(forStore: storeID)
        let keys = if let existing { existing } else { DataKeys(try await newKey()) }
        try await lease.write(Data(keys.current.identifier.utf8), replacing: record?.generation ?? 0)
        return keys
    }

    /// A key for a store without sealed records. While there are some, a missing key is never replaced: it can be restored,
    /// and the sessions could not.
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

    /// Erases what nobody can open any more, because the device that had the key is another one. The sealed contents are kept
    /// in the quarantine.
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
            // A damaged record takes longer to mend as well.
            let known = try? store.immediateRecord(for: Self.keyRecord), let content = known?.content
        else { return nil }
        // Whether a key is missing or another one takes longer to find out.
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

/// How often a store has started anew, because its key stayed on another device.
struct Restarts: Sendable {
    private(set) var count = 0
    private var isTold = true

    mutating func begin() {
        count += 1
        isTold = false
    }

    /// Whether there was one that nobody was told of yet.
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

    /// The result of `read`, or of a second one when the store has started anew meanwhile: what the first one has found was
    /// set aside.
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
