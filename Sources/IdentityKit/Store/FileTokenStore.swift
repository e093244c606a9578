import Foundation

/// A store in a private folder: one file per record, shared by every process that opens the same folder.
///
/// Folders are 0700 and files 0600, replaced atomically and durably. Reading takes no lock. A lock, a damaged file or a
/// write concerns one record, and its cost does not grow with the number of records.
///
/// The bytes are stored as they are given. ``SealedTokenStore`` around this store encrypts them;
/// ``StoreConfiguration/file(folder:key:)`` opens both.
public final class FileTokenStore: TokenStore {
    /// Tells this store from others, for keys that are kept elsewhere.
    public let identifier: String
    /// How the store's records are protected.
    public let protection: StoreProtection

    private let folder: StoreFolder
    private let time: TimeSource
    private let writeDeadline: Duration
    private let leasing: StoreLeasing
    private let notices: ChangeCounter
    private let feed: ChangeFeed

    /// Opens the store at `folder`, which is created when it is missing.
    /// - Parameters:
    ///   - folder: a local file URL. It must belong to the current user and be closed to others.
    ///   - protection: what the records are protected with; `allowUnencryptedStorage` for a store that is used without
    ///     ``SealedTokenStore``. A folder that was created with another protection is refused.
    ///   - leasing: how the right to refresh is held.
    ///   - allowsNetworkFileSystem: whether a folder on NFS or SMB is accepted, where locks may not exclude others.
    ///   - writeDeadline: how long a write waits for another process that writes the same record.
    ///   - time: the clock for deadlines.
    /// - Throws: ``TokenStoreError``.
    public init(
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
        self.time = time
        self.writeDeadline = writeDeadline
        self.leasing = leasing
        let reader = RecordReader(folder: self.folder)
        notices = ChangeCounter(path: self.folder.notice)
        feed = NoticeWatcher.feed(of: notices, reading: reader, time: time)
    }

    /// The record under `key`.
    /// - Throws: ``TokenStoreError``.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        try reader.file(for: key)?.record
    }

    /// The records of a collection.
    /// - Throws: ``TokenStoreError`` when the folder itself cannot be read.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try reader.listing(of: collection)
    }

    /// Compare-and-swap on the generation, under the record's write lock.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await replace(key, in: nil) { current in
            guard current?.generation ?? 0 == generation else {
                throw TokenStoreError.conflict(key, current: current?.generation ?? 0)
            }
            return StoreRecord(key: key, generation: generation + 1, content: content)
        }
    }

    /// The lease on `key`, with everything that the next write needs: space, a file, a lock and file descriptors.
    /// - Throws: ``TokenStoreError``, also when one of them cannot be had.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        let hold = try reportingFailedWrites(at: folder.record(key)) {
            try folder.prepare(key.collection)
            return try leasing.claim(folder.lock(.lease, key), at: time.now)
        }
        guard let hold else { return nil }
        // The holder before may have been suspended in the middle of a write that it began in time. It is waited for, so
        // that nobody acts on what it is about to replace.
        if hold.endsAt != nil { try await writeLock(for: key).unlock() }
        return try reportingFailedWrites(at: folder.record(key)) {
            let draft = try DraftFile(in: folder.drafts)
            try draft.reserve(Self.reservedSize)
            // What a write opens beside the draft: the record's lock, the record, and its folder.
            let descriptors = try ReservedDescriptors(creating: folder.lock(.write, key), further: 2)
            return FileLease(hold: hold, draft: draft, descriptors: descriptors, key: key, store: self)
        }
    }

    /// Sets a damaged record aside, in the folder `quarantine`.
    /// - Throws: ``TokenStoreError``.
    public func quarantine(_ key: StoreKey) async throws {
        _ = try await replace(key, in: nil, settingDamagedAside: true) { [time] current in
            // One that is there was mended or replaced meanwhile: nothing to do.
            current ?? StoreRecord(erasing: key, afterDamageAt: time.now)
        }
    }

    /// The changes from now on, of this and of other processes, the latter within a second.
    public func changes() -> AsyncStream<StoreChange> {
        feed.stream()
    }

    /// The record's word in the shared notice.
    public func marker(for key: StoreKey) -> (any StoreVersion)? {
        notices.marker(forHash: StoreFolder.hash(of: key))
    }

    // MARK: Replacing a record

    /// Enough for any record; found missing before a token is spent instead of after.
    private static let reservedSize = 64 * 1024

    var reader: RecordReader { RecordReader(folder: folder) }

    /// Runs `decide` on the current record while no other writer of it runs, and makes its result the record.
    fileprivate func replace(
        _ key: StoreKey, in reserved: DraftFile?, settingDamagedAside: Bool = false,
        _ decide: (StoreRecord?) throws -> StoreRecord
    ) async throws -> StoreRecord {
        let path = folder.record(key)
        try reportingFailedWrites(at: path) { try folder.prepare(key.collection) }
        let lock = try await writeLock(for: key)
        defer { lock.unlock() }
        let record = try reportingFailedWrites(at: path) {
            let current = try currentFile(for: key, settingDamagedAside: settingDamagedAside)
            let record = try decide(current?.record)
            guard record != current?.record else { return record }
            let file = RecordFile(record, keeping: current?.unknownMembers ?? [:])
            let draft = try reserved ?? DraftFile(in: folder.drafts)
            try notices.changing(hash: StoreFolder.hash(of: key)) {
                try draft.replace(path, with: file.encoded()) { stage in
                    FaultPoint.reached("\(key.collection.rawValue).\(stage.rawValue)")
                }
            }
            FaultPoint.reached("\(key.collection.rawValue).noticed")
            return record
        }
        feed.send(StoreChange(record))
        return record
    }

    private func currentFile(for key: StoreKey, settingDamagedAside: Bool) throws -> RecordFile? {
        do {
            return try reader.file(for: key)
        } catch TokenStoreError.corrupt where settingDamagedAside {
            guard rename(folder.record(key), folder.quarantined(key, at: time.now)) == 0 else {
                throw SystemCallError.current
            }
            return nil
        }
    }

    /// The lock is held for the time of one file write, so waiting is short; it must not block the thread, which other
    /// tasks need.
    private func writeLock(for key: StoreKey) async throws -> FileLock {
        let path = folder.lock(.write, key)
        var backoff = Backoff(deadline: writeDeadline)
        while true {
            if let lock = try reportingFailedWrites(at: path, { try FileLock.tryLock(path) }) { return lock }
            guard let pause = backoff.next() else { throw TokenStoreError.busy(path: path) }
            try await time.sleep(for: pause)
        }
    }

    private func reportingFailedWrites<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SystemCallError {
            throw failure.writeError(at: path)
        }
    }
}

/// The right to spend what a file holds, with all that storing what comes of it needs.
private final class FileLease: StoreLease {
    private let hold: any LeaseHold
    private let draft: Locked<DraftFile?>
    private let descriptors: ReservedDescriptors
    private let key: StoreKey
    private let store: FileTokenStore

    init(
        hold: any LeaseHold, draft: DraftFile, descriptors: ReservedDescriptors, key: StoreKey, store: FileTokenStore
    ) {
        self.hold = hold
        self.draft = Locked(draft)
        self.descriptors = descriptors
        self.key = key
        self.store = store
    }

    var endsAt: Date? { hold.endsAt }

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        let reserved = draft.withLock { draft in
            defer { draft = nil }
            return draft
        }
        descriptors.release()
        return try await store.replace(key, in: reserved) { [hold, key] current in
            guard current?.generation ?? 0 == generation, hold.isStanding() else {
                throw TokenStoreError.conflict(key, current: current?.generation ?? 0)
            }
            return StoreRecord(key: key, generation: generation + 1, content: content)
        }
    }

    func release() async {
        draft.withLock { $0 = nil }
        descriptors.release()
        await hold.end()
    }
}
