import Foundation

/// A store in a private folder: one file per record, shared by every process that opens the same folder.
///
/// Folders have mode 0700 and files 0600. Files are replaced atomically and durably. Reading takes no lock. A lock, a
/// damaged file or a write concerns only one record. The cost of a write does not grow with the number of records.
///
/// The bytes are stored unencrypted. ``SealedTokenStore`` around this store encrypts them;
/// ``StoreConfiguration/file(folder:key:allowsNetworkFileSystem:)`` describes both.
package final class FileTokenStore: TokenStore {
    /// Identifier of this store, under which its key is kept.
    package let identifier: String
    package let protection: StoreProtection

    private let folder: StoreFolder
    private let time: TimeSource
    private let writeDeadline: Duration
    private let leasing: StoreLeasing
    private let notices: ChangeCounter
    private let feed: ChangeFeed
    private let events = KeptEvents()

    /// Opens the store at `folder`, which is created when it is missing.
    /// - Parameters:
    ///   - folder: a local file URL. The folder must belong to the current user and be closed to others.
    ///   - protection: the place of the key with which a ``SealedTokenStore`` encrypts the records, or
    ///     `allowUnencryptedStorage` for a store without encryption. A folder that was created with another protection is
    ///     refused.
    ///   - leasing: whether a lease is a kernel lock, or a file with the holder's identifier and a deadline.
    ///   - allowsNetworkFileSystem: whether a folder on NFS, SMB or another network file system is accepted, where locks may
    ///     not exclude other machines.
    ///   - writeDeadline: how long a write waits for another process that writes the same record.
    ///   - time: the clock for deadlines and waits.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package init(
        folder: URL, protection: StoreProtection, leasing: StoreLeasing = .platformDefault,
        allowsNetworkFileSystem: Bool = false, writeDeadline: Duration = .seconds(5), time: TimeSource = .system
    ) throws {
        self.folder = try StoreFolder(path: folder.path)
        if !allowsNetworkFileSystem, let name = NetworkFileSystem.name(at: folder.path) {
            throw TokenStoreError.insecure(
                path: folder.path, detail: "it is on \(name), where locks may not keep other machines out")
        }
        let description = try StoreDescription.establish(in: self.folder, protection: protection)
        identifier = description.identifier
        self.protection = description.protection
        if description.protection == .keychain { self.folder.excludeFromBackups() }
        self.time = time
        self.writeDeadline = writeDeadline
        self.leasing = leasing
        let reader = RecordReader(folder: self.folder)
        notices = ChangeCounter(path: self.folder.notice)
        feed = NoticeWatcher.feed(of: notices, reading: reader, time: time)
    }

    /// The record under `key`, read from its file without a lock; `nil` when it was never written.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func record(for key: StoreKey) async throws -> StoreRecord? {
        try reader.file(for: key)?.record
    }

    /// The records of a collection, erased ones too. The listing has the error of each file that cannot be read.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the folder itself cannot be read.
    package func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try reader.listing(of: collection)
    }

    /// A page of a collection, in the order of the hashes of the records' names. Only the records of the page are read.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the folder itself cannot be read.
    package func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StoreListing {
        try reader.page(of: collection, after: position, limit: min(max(limit, 1), 1 << 20))
    }

    /// Replaces the content if the generation is unchanged, under the record's write lock.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/conflict(_:current:)`` when
    ///   the generation has changed, and ``/IdentityCore/TokenStoreError/busy(path:)`` when the lock is not free before
    ///   the write deadline; `CancellationError` when the task is cancelled during that wait.
    @discardableResult
    package func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await write(content, for: key, replacing: generation, in: nil)
    }

    /// Claims the lease on `key`, and reserves all that the next write needs: a new file with space on the disk, the
    /// lock file of the record, and file descriptors. Returns `nil` while another holder has the lease.
    /// - Throws: ``/IdentityCore/TokenStoreError``, also when a reservation fails; `CancellationError` when the task is
    ///   cancelled while it waits for a write of the last holder.
    package func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        let hold = try SystemCallError.asWriteError(at: folder.record(key)) {
            try folder.prepare(key.collection)
            return try leasing.claim(folder.lock(.lease, key), at: time.bootTime)
        }
        guard let hold else { return nil }
        // If the last holder was suspended during a write that it began before its deadline, wait for that write.
        if hold.endsAt != nil { try await writeLock(for: key).unlock() }
        return try SystemCallError.asWriteError(at: folder.record(key)) {
            let draft = try TemporaryFile(in: folder.drafts)
            try draft.reserve(Self.reservedSize)
            // Reserve two more descriptors, because a write also opens the record and its folder.
            let descriptors = try ReservedDescriptors(creating: folder.lock(.write, key), further: 2)
            return FileLease(hold: hold, draft: draft, descriptors: descriptors, key: key, store: self)
        }
    }

    /// Keeps a damaged record in the folder `quarantine`, and writes an erased record in its place.
    /// - Throws: ``/IdentityCore/TokenStoreError``; `CancellationError` when the task is cancelled while it waits for
    ///   the record's write lock.
    package func quarantine(_ key: StoreKey) async throws {
        _ = try await replace(key, in: nil, settingDamagedAside: true) { [time] current in
            // If a readable record has replaced the damaged one meanwhile, keep it.
            current ?? StoreRecord(erasing: key, afterDamageAt: time.now)
        }
    }

    /// Removes the damaged files that were quarantined under `key`.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func removeQuarantined(_ key: StoreKey) throws {
        let (path, prefix) = (folder.quarantine, folder.quarantinePrefix(of: key))
        try SystemCallError.asWriteError(at: path) {
            for name in try FolderContent.names(in: path) where name.hasPrefix(prefix) {
                guard unlink("\(path)/\(name)") == 0 || errno == ENOENT else { throw SystemCallError.current }
            }
        }
    }

    /// The changes of the records in `collection` from now on, or of all records if `collection` is `nil`. With a `collection`,
    /// other collections are not read. Changes of other processes arrive up to a second late.
    package func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        feed.stream(of: collection)
    }

    /// The change marker of the record: a number in the shared file `notice`, which every write of the record changes. `nil`
    /// when that file cannot be mapped.
    package func marker(for key: StoreKey) -> (any StoreVersion)? {
        notices.marker(forHash: StoreFolder.hash(of: key))
    }

    /// Wakes the tasks that wait for the record or its lease.
    fileprivate func wake(_ key: StoreKey) { notices.wake(forHash: StoreFolder.hash(of: key)) }

    /// Bytes to reserve, which suffice for the largest session: encrypted, in Base64, and with the record's key.
    static let reservedSize = (SessionRecord.maximumSize + 1024) * 4 / 3 + 8 * 1024

    var reader: RecordReader { RecordReader(folder: folder) }

    /// Replaces the content. A changed generation, or a lease that is lost according to `isStanding`, is a conflict.
    /// - Parameter reserved: the file that the lease has reserved for the new content; `nil` to create a file.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or `CancellationError` during the wait for the record's write lock.
    fileprivate func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64, in reserved: TemporaryFile?,
        while isStanding: () -> Bool = { true }
    ) async throws -> StoreRecord {
        try await replace(key, in: reserved) { current in
            guard isStanding() else { throw TokenStoreError.conflict(key, current: current?.generation ?? 0) }
            return try Self.successor(of: current, key, content, replacing: generation)
        }
    }

    /// Replaces the content without waiting for the write lock.
    /// - Returns: `nil` when another process or task is writing the record at this moment.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func writeAtOnce(_ content: Data?, for key: StoreKey, replacing generation: UInt64) throws -> StoreRecord? {
        let path = folder.lock(.write, key)
        let lock = try SystemCallError.asWriteError(at: path) {
            try folder.prepare(key.collection)
            return try FileLock.tryLock(path)
        }
        guard let lock else { return nil }
        defer { lock.unlock() }
        return try replaceLocked(key, in: nil) {
            try Self.successor(of: $0, key, content, replacing: generation)
        }
    }

    private static func successor(
        of current: StoreRecord?, _ key: StoreKey, _ content: Data?, replacing generation: UInt64
    ) throws -> StoreRecord {
        guard current?.generation ?? 0 == generation else {
            throw TokenStoreError.conflict(key, current: current?.generation ?? 0)
        }
        return StoreRecord(key: key, generation: generation + 1, content: content)
    }

    /// Replaces the record with the result of `decide`, while holding the record's write lock.
    private func replace(
        _ key: StoreKey, in reserved: TemporaryFile?, settingDamagedAside: Bool = false,
        _ decide: (StoreRecord?) throws -> StoreRecord
    ) async throws -> StoreRecord {
        try SystemCallError.asWriteError(at: folder.record(key)) { try folder.prepare(key.collection) }
        let lock = try await writeLock(for: key)
        defer { lock.unlock() }
        return try replaceLocked(key, in: reserved, settingDamagedAside: settingDamagedAside, decide)
    }

    private func replaceLocked(
        _ key: StoreKey, in reserved: TemporaryFile?, settingDamagedAside: Bool = false,
        _ decide: (StoreRecord?) throws -> StoreRecord
    ) throws -> StoreRecord {
        let path = folder.record(key)
        let record = try SystemCallError.asWriteError(at: path) {
            let (current, isDamaged) = try currentFile(for: key, settingDamagedAside: settingDamagedAside)
            let record = try decide(current?.record)
            guard record != current?.record else { return record }
            let file = RecordFile(record, keeping: current?.unknownMembers ?? [:])
            let draft = try reserved ?? TemporaryFile(in: folder.drafts)
            try notices.changing(hash: StoreFolder.hash(of: key)) {
                let unflushed = try draft.replace(path, with: file.encoded()) { stage in
                    if isDamaged, stage == .written { try linkIntoQuarantine(key) }
                    FaultPoint.reached("\(key.collection.rawValue).\(stage.rawValue)")
                }
                if let unflushed {
                    let error = TokenStoreError.notWritable(path: path, detail: unflushed.detail)
                    events.add(StoreEvent(.notFlushed(error), key))
                }
            }
            FaultPoint.reached("\(key.collection.rawValue).noticed")
            return record
        }
        feed.send(StoreChange(record))
        return record
    }

    private func currentFile(
        for key: StoreKey, settingDamagedAside: Bool
    ) throws -> (file: RecordFile?, isDamaged: Bool) {
        do {
            return (try reader.file(for: key), false)
        } catch TokenStoreError.corrupt where settingDamagedAside {
            return (nil, true)
        }
    }

    /// Gives the file of a damaged record a second name in the folder `quarantine`. The file stays in its place until its
    /// successor replaces it, because a record without a file counts as one that was never written.
    private func linkIntoQuarantine(_ key: StoreKey) throws {
        guard link(folder.record(key), folder.quarantined(key, at: time.now)) == 0 || errno == EEXIST else {
            throw SystemCallError.current
        }
    }

    /// Waits for the record's write lock. The wait is short, because the lock is held for a single file write. The task
    /// is suspended meanwhile, and its thread is not blocked.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/busy(path:)`` after the
    ///   write deadline; `CancellationError`.
    private func writeLock(for key: StoreKey) async throws -> FileLock {
        let path = folder.lock(.write, key)
        return try await Backoff.result(
            within: writeDeadline, orThrow: TokenStoreError.busy(path: path), pausing: time.sleep(for:)
        ) { try SystemCallError.asWriteError(at: path) { try FileLock.tryLock(path) } }
    }
}

extension FileTokenStore: EventfulTokenStore {
    package func takeEvents() -> [StoreEvent] { events.take() }
}

extension FileTokenStore: ResealableTokenStore {
    private struct HasChanged: Error {}

    package func collections() async throws -> [StoreKey.Collection] { try folder.collections() }

    package func replace(
        _ content: Data, of key: StoreKey, at generation: UInt64, with resealed: Data
    ) async throws -> Bool {
        do {
            _ = try await replace(key, in: nil) { current in
                guard let current, current.generation == generation, current.content == content else {
                    throw HasChanged()
                }
                return StoreRecord(key: key, generation: generation, content: resealed)
            }
            return true
        } catch is HasChanged {
            return false
        }
    }
}

private final class FileLease: StoreLease {
    private let hold: any FileLeaseLock
    private let draft: Locked<TemporaryFile?>
    private let descriptors: ReservedDescriptors
    private let key: StoreKey
    private let store: FileTokenStore

    init(
        hold: any FileLeaseLock, draft: TemporaryFile, descriptors: ReservedDescriptors, key: StoreKey,
        store: FileTokenStore
    ) {
        self.hold = hold
        self.draft = Locked(draft)
        self.descriptors = descriptors
        self.key = key
        self.store = store
    }

    var endsAt: ContinuousClock.Instant? { hold.endsAt }
    var isConfirmed: Bool { hold.isStanding() }
    /// Whether the previous holder of the lease can no longer act. `true` for a kernel lock, which is free only once its holder
    /// has released it or its process has ended. `false` for a lease with a deadline, because the deadline may pass while the
    /// previous holder still runs.
    var hasPredecessorEnded: Bool { hold.endsAt == nil }

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        let reserved = draft.exchange(nil)
        descriptors.release()
        return try await store.write(
            content, for: key, replacing: generation, in: reserved, while: hold.isStanding)
    }

    func release() async {
        draft.withLock { $0 = nil }
        descriptors.release()
        await hold.end()
        store.wake(key)
    }
}
