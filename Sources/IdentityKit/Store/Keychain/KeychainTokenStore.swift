import Foundation

/// A store in Apple's Keychain: one item per record, shared by an app and its extensions through an access group.
///
/// Items stay on this device and are excluded from backups. They can be read once the device has been unlocked after a
/// restart. On the Mac, they are in the data protection keychain. A record is replaced by a conditional update of its
/// item, never by deleting and adding it, so it is never missing.
///
/// The content of a record may have up to ``maximumSize`` bytes. Because the Keychain does not report changes, a writer
/// sends a signal to other processes. Listeners check the Keychain after each signal and at regular intervals. A lease is
/// a note with a deadline, after which another process can claim the lease.
package final class KeychainTokenStore: TokenStore {
    /// Limit of a record's content in bytes, before it is encoded for its item.
    package static let maximumSize = 64 * 1024

    let vault: KeychainVault
    let service: String
    let time: TimeSource
    private let leaseDuration: Duration
    private let feed: ChangeFeed
    private let signal: (any KeychainSignal)?

    /// Creates a store that uses `keychain`, which may be an implementation for tests.
    /// - Parameters:
    ///   - service: identifies this store's items.
    ///   - leaseDuration: how long a lease lasts when it is not released. Choose more than a refresh takes.
    ///   - signal: notifies other processes of changes; `nil` to send no signals.
    ///   - pause: the time between two checks for changes of other processes.
    package init(
        _ keychain: any Keychain, service: String, leaseDuration: Duration = .seconds(45),
        signal: (any KeychainSignal)? = nil, lookingEvery pause: Duration = .seconds(1), time: TimeSource = .system
    ) {
        let vault = KeychainVault(keychain, service: service)
        self.vault = vault
        self.service = service
        self.leaseDuration = leaseDuration
        self.time = time
        self.signal = signal
        feed = KeychainWatcher.feed(of: vault, service: service, signal: signal, lookingEvery: pause, time: time)
    }

    /// The record under `key`; `nil` when it was never written.
    /// - Throws: ``/IdentityCore/TokenStoreError``; ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first
    ///   unlock, even if the system reports that there is no such item.
    package func record(for key: StoreKey) async throws -> StoreRecord? {
        try file(for: key)?.record
    }

    /// The records of a collection, erased ones too. The listing has the error of each item that cannot be read.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the Keychain is locked or cannot be searched.
    package func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try listing(of: collection)
    }

    private func listing(of collection: StoreKey.Collection) throws(TokenStoreError) -> StoreListing {
        let accounts = try vault.tags(ofService: service).keys.filter { $0.hasPrefix("\(collection.rawValue)/") }
        var listing = StoreListing()
        for account in accounts.sorted() {
            do throws(TokenStoreError) {
                // The record may have been deleted meanwhile, because the store was emptied after a reinstallation.
                guard let file = try vault.file(in: KeychainName(service: service, account: account)) else { continue }
                listing.records.append(file.record)
            } catch {
                if case .locked = error { throw error }
                listing.failures.append(error)
            }
        }
        return listing
    }

    /// Replaces the content if the generation is unchanged.
    /// - Throws: ``/IdentityCore/TokenStoreError``; ``/IdentityCore/TokenStoreError/notWritable(path:detail:)`` for a
    ///   content that is too large.
    @discardableResult
    package func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try replaceItem(content, for: key, replacing: generation)
    }

    fileprivate func replaceItem(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) throws -> StoreRecord {
        let name = name(of: key)
        guard content?.count ?? 0 <= Self.maximumSize else {
            throw TokenStoreError.notWritable(
                path: name.account,
                detail: "it has \(content?.count ?? 0) bytes, and the Keychain takes at most \(Self.maximumSize)")
        }
        let current = try file(for: key)
        guard current?.record.generation ?? 0 == generation else { throw try conflict(key) }
        let record = StoreRecord(key: key, generation: generation + 1, content: content)
        let item = try KeychainItem(RecordFile(record, keeping: current?.unknownMembers ?? [:]))
        let isWritten =
            if current == nil {
                try vault.add(item, as: name)
            } else {
                try vault.update(name, tagged: KeychainItem.tag(generation), to: item)
            }
        guard isWritten else { throw try conflict(key) }
        emit(record)
        return record
    }

    /// Claims the lease on `key` until its deadline, by a note in the Keychain; `nil` while another holder has the
    /// lease.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try KeychainLease(on: key, in: self, for: leaseDuration)
    }

    /// Replaces a damaged record by an erased one. The damaged content is not kept.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func quarantine(_ key: StoreKey) async throws {
        let name = name(of: key)
        guard let item = try vault.item(name) else { return }
        do {
            _ = try RecordFile(item, name: name)
        } catch .corrupt {
            let record = StoreRecord(erasing: key, afterDamageAt: time.now)
            // If the tag has changed, another process has replaced the record already.
            guard try vault.update(name, tagged: item.tag, to: KeychainItem(RecordFile(record))) else { return }
            emit(record)
        }
    }

    private func emit(_ record: StoreRecord) {
        feed.send(StoreChange(record))
        signal?.send()
    }

    /// The changes of one collection from now on; `nil` for all collections. Changes of other processes arrive with their
    /// signal, or at the next check.
    package func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        feed.stream(of: collection)
    }

    fileprivate func file(for key: StoreKey) throws(TokenStoreError) -> RecordFile? {
        try vault.file(in: name(of: key))
    }

    func conflict(_ key: StoreKey) throws(TokenStoreError) -> TokenStoreError {
        .conflict(key, current: try file(for: key)?.record.generation ?? 0)
    }

    /// Name of the item, hashed so that the Keychain's lists do not show account names.
    func name(of key: StoreKey) -> KeychainName {
        KeychainName(service: service, account: "\(key.collection.rawValue)/\(StoreFolder.hash(of: key))")
    }
}

extension KeychainTokenStore: ImmediateTokenStore {
    package func immediateRecord(for key: StoreKey) throws -> StoreRecord?? { .some(try file(for: key)?.record) }

    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        try listing(of: collection)
    }

    package func immediateWrite(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) throws -> StoreRecord? {
        try replaceItem(content, for: key, replacing: generation)
    }
}

extension KeychainVault {
    func file(in name: KeychainName) throws(TokenStoreError) -> RecordFile? {
        guard let item = try item(name) else { return nil }
        return try RecordFile(item, name: name)
    }
}

extension KeychainItem {
    static func tag(_ generation: UInt64) -> Data { Data(String(generation).utf8) }

    init(_ file: RecordFile) throws {
        self.init(tag: Self.tag(file.record.generation), value: try file.encoded())
    }
}

extension RecordFile {
    init(_ item: KeychainItem, name: KeychainName) throws(TokenStoreError) {
        try self.init(item.value, path: name.account)
        // Writes compare the tag, so with a tag of another generation every write would fail.
        guard item.tag == KeychainItem.tag(record.generation) else {
            throw .corrupt(path: name.account, detail: "its tag belongs to another generation")
        }
    }
}
