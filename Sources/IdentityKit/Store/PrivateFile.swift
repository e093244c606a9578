import Foundation
import IdentityStoreFormat

/// File operations for secrets. Foundation has no substitute: its atomic write creates a file that all users can read, and
/// its reads follow symbolic links.
enum PrivateFile {
    /// Creates the folder at `path` and its missing parents, each with mode 0700 whatever the umask. An existing folder is
    /// not changed.
    /// - Throws: ``SystemCallError``.
    static func createFolder(at path: String) throws {
        let parent = StorePath.folder(of: path)
        if parent != path, access(parent, F_OK) != 0 { try createFolder(at: parent) }
        if mkdir(path, 0o700) == 0 {
            guard chmod(path, 0o700) == 0 else { throw SystemCallError.current }
            // Flush the parent, because a new folder and its files may otherwise be lost in a power failure. A parent
            // that cannot be read cannot be flushed.
            try? flushFolder(parent)
        } else if errno != EEXIST {
            throw SystemCallError.current
        }
    }

    /// Reason why the folder at `path` is not safe for secrets, such as its mode; `nil` for a safe folder.
    /// - Throws: ``SystemCallError``.
    static func weakness(ofFolder path: String) throws -> String? {
        do {
            return try Privacy.weakness(ofFolder: path)
        } catch .system(let errorNumber) {
            throw SystemCallError(errorNumber: errorNumber)
        }
    }

    /// The content of a file that only the current user can open.
    /// - Throws: ``SystemCallError``, or ``/IdentityCore/TokenStoreError/insecure(path:detail:)``.
    static func read(_ path: String) throws -> Data {
        do {
            return Data(try FileContent(ofOwner: path).bytes)
        } catch .system(let errorNumber) {
            throw SystemCallError(errorNumber: errorNumber)
        } catch .insecure(let detail) {
            throw TokenStoreError.insecure(path: path, detail: detail)
        }
    }

    /// Reads a file as ``read(_:)`` does, if it exists.
    /// - Returns: `nil` when there is no file.
    /// - Throws: ``/IdentityCore/TokenStoreError/insecure(path:detail:)``, or
    ///   ``/IdentityCore/TokenStoreError/locked(detail:)`` while the device is locked. For any other error, `failure`
    ///   receives the system's description of the error, and returns the error to throw.
    static func readIfPresent(_ path: String, orThrow failure: (String) -> any Error) throws -> Data? {
        do {
            return try read(path)
        } catch let error as SystemCallError {
            if let locked = error.lockedDevice() { throw locked }
            guard error.isMissingFile else { throw failure(error.detail) }
            return nil
        }
    }

    /// Moves the file at `path` to `newPath`, unless there is a file at `newPath`. In every case, `path` is removed.
    /// - Returns: whether the file was moved.
    /// - Throws: ``SystemCallError``.
    static func moveIntoPlace(_ path: String, _ newPath: String) throws -> Bool {
        guard link(path, newPath) == 0 else {
            let failure = SystemCallError.current
            unlink(path)
            if failure.isAlreadyThere { return false }
            throw failure
        }
        unlink(path)
        return true
    }

    static func flushFolder(_ folder: String) throws {
        let descriptor = uninterrupted { open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw SystemCallError.current }
        defer { close(descriptor) }
        guard uninterrupted({ fsync(descriptor) }) == 0 else { throw SystemCallError.current }
    }
}

/// A new file that is moved to its destination once it is complete and flushed to the disk. If the object is released
/// before that, the file is removed.
final class TemporaryFile: Sendable {
    private let path: String
    /// Open descriptor; `nil` once the file was moved or removed.
    private let descriptor: Locked<Int32?>

    /// Creates the file in `folder`, which must be on the same file system as the destination.
    /// - Throws: ``SystemCallError``.
    init(in folder: String) throws {
        let draft = try Drafts.create(in: folder)
        path = draft.path
        descriptor = Locked(draft.descriptor)
        // Set the mode before writing any content, because the umask may have removed access for the owner.
        guard fchmod(draft.descriptor, 0o600) == 0 else { throw SystemCallError.current }
    }

    deinit {
        if descriptor.withLock({ $0 != nil }) { unlink(path) }
        finish()
    }

    /// Allocates `size` bytes, so that a later write does not fail on a full disk. A file system without support for
    /// allocation is not an error.
    /// - Throws: ``SystemCallError``.
    func reserve(_ size: Int) throws {
        try withDescriptor { descriptor in
            #if canImport(Darwin)
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(size), fst_bytesalloc: 0)
            // If the file system does not support allocation, a write on a full disk fails later.
            if fcntl(descriptor, F_PREALLOCATE, &request) != 0, errno == ENOSPC { throw SystemCallError.current }
            #else
            var failure = EINTR
            while failure == EINTR { failure = posix_fallocate(descriptor, 0, off_t(size)) }
            if failure != 0, failure != EOPNOTSUPP, failure != EINVAL {
                throw SystemCallError(errorNumber: failure)
            }
            #endif
        }
    }

    /// Writes `content` and moves the file to `destination`. Readers see the old file or the new one, also after a
    /// power failure.
    /// - Parameter mark: called before and after the rename, so that tests can simulate a crash.
    /// - Returns: the error when the file was moved but its folder could not be flushed; `nil` when the folder was
    ///   flushed. After this error, a power failure may restore the old file.
    /// - Throws: ``SystemCallError`` when the file could not be written or moved, or when its folder could not be
    ///   flushed and `destination` does not have the new content; errors of `mark`.
    @discardableResult
    func replace(
        _ destination: String, with content: Data, mark: (Stage) throws -> Void = { _ in }
    ) throws -> SystemCallError? {
        try fill(with: content)
        try mark(.written)
        guard rename(path, destination) == 0 else { throw SystemCallError.current }
        finish()
        do {
            try mark(.renamed)
            try PrivateFile.flushFolder(StorePath.folder(of: destination))
            return nil
        } catch let failure as SystemCallError {
            // If other processes can read the new content already, an error would wrongly mean that the old file is
            // unchanged.
            guard (try? PrivateFile.read(destination)) == content else { throw failure }
            return failure
        }
    }

    enum Stage: String {
        case written
        case renamed
    }

    /// Writes as ``replace(_:with:mark:)`` does, unless there is a file at `destination` already.
    /// - Returns: whether this file was moved there.
    /// - Throws: ``SystemCallError``, also when the file was moved but its folder could not be flushed.
    func create(_ destination: String, with content: Data) throws -> Bool {
        try fill(with: content)
        let created = try PrivateFile.moveIntoPlace(path, destination)
        finish()
        try PrivateFile.flushFolder(StorePath.folder(of: destination))
        return created
    }

    private func fill(with content: Data) throws {
        try withDescriptor { descriptor in
            // Truncate after writing, because the reserved space may be longer than the content.
            try Self.writeAll(content, to: descriptor)
            guard uninterrupted({ ftruncate(descriptor, off_t(content.count)) }) == 0,
                uninterrupted({ Self.flush(descriptor) }) == 0
            else { throw SystemCallError.current }
        }
    }

    private func withDescriptor<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        try descriptor.withLock { descriptor in
            guard let descriptor else { throw SystemCallError(errorNumber: EBADF) }
            return try body(descriptor)
        }
    }

    private func finish() {
        if let open = descriptor.exchange(nil) { close(open) }
    }

    private static func writeAll(_ content: Data, to descriptor: Int32) throws {
        try content.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count, let start = bytes.baseAddress {
                let count = write(descriptor, start + written, bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw SystemCallError.current }
                written += count
            }
        }
    }

    private static func flush(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // On Darwin, fsync does not flush the drive's cache.
        flush({ fcntl(descriptor, F_FULLFSYNC) }, orIfUnsupported: { fsync(descriptor) })
        #else
        fsync(descriptor)
        #endif
    }

    /// The result of `full`, or of `plain` on a file system that does not support `full`, such as SMB.
    static func flush(_ full: () -> Int32, orIfUnsupported plain: () -> Int32) -> Int32 {
        let result = full()
        return result != 0 && SystemCallError.current.isUnsupported ? plain() : result
    }
}
