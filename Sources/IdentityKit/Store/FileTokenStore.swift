import Foundation

/// A store in a private folder: one file per record, shared by every process that opens the same folder.
///
/// Folders are 0700 and files 0600, replaced atomically and durably. Reading takes no lock. A record's name is hashed,
/// so that no account name shows in a file name. Contents are as readable as the files are: put the folder where only
/// its owner can look.
public final class FileTokenStore: TokenStore {
    /// The folder of the store.
    public let folder: URL

    private let time: TimeSource
    private let writeDeadline: Duration
    private let broadcast = ChangeBroadcast()

    /// Opens the store at `folder`, which is created when it is missing.
    /// - Parameters:
    ///   - folder: a local file URL. It must belong to the current user and be closed to others.
    ///   - writeDeadline: how long a write waits for another process that writes the same record.
    ///   - time: the clock for that deadline.
    /// - Throws: ``TokenStoreError/notWritable(path:detail:)`` or ``TokenStoreError/insecure(path:detail:)``.
    public init(folder: URL, writeDeadline: Duration = .seconds(5), time: TimeSource = .system) throws {
        self.folder = folder
        self.time = time
        self.writeDeadline = writeDeadline
        let path = folder.path
        do {
            try PrivateFile.createFolder(at: path)
            if let weakness = try PrivateFile.weakness(ofFolder: path) {
                throw TokenStoreError.insecure(path: path, detail: weakness)
            }
        } catch let failure as SystemCallFailure {
            throw TokenStoreError.notWritable(path: path, detail: failure.detail)
        }
    }

    /// The record under `key`.
    public func record(for key: StoreKey) async throws -> StoreRecord? {
        try readRecord(for: key)
    }

    /// The records of a collection.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        let folder = path(of: collection)
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return StoreListing()
        } catch {
            throw TokenStoreError.unreadable(path: folder, detail: error.localizedDescription)
        }
        return names.filter { $0.hasSuffix(Self.recordSuffix) }.reduce(into: StoreListing()) { listing, name in
            do throws(TokenStoreError) {
                if let record = try readRecord(at: "\(folder)/\(name)") { listing.records.append(record) }
            } catch {
                listing.failures.append(error)
            }
        }
    }

    /// Compare-and-swap on the generation, under the record's write lock.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        let path = path(of: key, suffix: Self.recordSuffix)
        let record = try await withWriteLock(for: key) {
            let current = try readRecord(for: key)?.generation ?? 0
            guard current == generation else { throw TokenStoreError.conflict(key, current: current) }
            let record = StoreRecord(key: key, generation: current + 1, content: content)
            try PrivateFile.replace(path, with: RecordFile(record).encoded())
            return record
        }
        broadcast.send(StoreChange(key: key, generation: record.generation, hasContent: content != nil))
        return record
    }

    /// The lease on `key`, a kernel lock that dies with its process.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try reportingFailedWrites(at: path(of: key.collection)) {
            try PrivateFile.createFolder(at: path(of: key.collection))
            return try FileLock.tryLock(path(of: key, suffix: ".lease"))
        }
    }

    /// The changes made through this object from now on.
    public func changes() -> AsyncStream<StoreChange> {
        broadcast.stream()
    }

    // MARK: Files

    private static let recordSuffix = ".json"

    private func path(of collection: StoreKey.Collection) -> String {
        folder.appendingPathComponent(collection.rawValue).path
    }

    private func path(of key: StoreKey, suffix: String) -> String {
        "\(path(of: key.collection))/\(sha256(Data(key.name.utf8)).hexEncoded)\(suffix)"
    }

    private func readRecord(for key: StoreKey) throws -> StoreRecord? {
        let path = path(of: key, suffix: Self.recordSuffix)
        guard let record = try readRecord(at: path) else { return nil }
        guard record.key == key else {
            throw TokenStoreError.corrupt(path: path, detail: "it holds the record of something else")
        }
        return record
    }

    private func readRecord(at path: String) throws(TokenStoreError) -> StoreRecord? {
        do {
            return try RecordFile.record(from: PrivateFile.read(path), path: path)
        } catch let failure as SystemCallFailure {
            if failure.isMissingFile { return nil }
            throw TokenStoreError.unreadable(path: path, detail: failure.detail)
        } catch let failure as TokenStoreError {
            throw failure
        } catch {
            throw TokenStoreError.unreadable(path: path, detail: error.localizedDescription)
        }
    }

    /// Runs `body` while no other writer of the same record runs. The lock is held for the time of one file write, so
    /// waiting is short; it must not block the thread, which other tasks need.
    private func withWriteLock(for key: StoreKey, _ body: () throws -> StoreRecord) async throws -> StoreRecord {
        let lockPath = path(of: key, suffix: ".lock")
        try reportingFailedWrites(at: lockPath) { try PrivateFile.createFolder(at: path(of: key.collection)) }
        var backoff = Backoff(deadline: writeDeadline)
        while true {
            if let lock = try reportingFailedWrites(at: lockPath, { try FileLock.tryLock(lockPath) }) {
                defer { lock.unlock() }
                return try reportingFailedWrites(at: path(of: key, suffix: Self.recordSuffix), body)
            }
            guard let pause = backoff.next() else { throw TokenStoreError.busy(path: lockPath) }
            try await time.sleep(for: pause)
        }
    }

    private func reportingFailedWrites<Result>(at path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as SystemCallFailure {
            throw TokenStoreError.notWritable(path: path, detail: failure.detail)
        }
    }
}
