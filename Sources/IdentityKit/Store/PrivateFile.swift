import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A failed system call, with the text of its error number.
struct SystemCallFailure: Error {
    let errorNumber: Int32

    static var current: SystemCallFailure { SystemCallFailure(errorNumber: errno) }

    var detail: String { String(cString: strerror(errorNumber)) }
    var isMissingFile: Bool { errorNumber == ENOENT }
    var isAlreadyThere: Bool { errorNumber == EEXIST }
}

/// The few file operations a store of secrets needs and Foundation does not offer: Foundation's atomic write makes the
/// new file readable for everybody, and its reads follow symbolic links.
enum PrivateFile {
    /// Creates `path` and its missing parents; the last folder is 0700 whatever the umask.
    static func createFolder(at path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        if !parent.isEmpty, parent != path, access(parent, F_OK) != 0 { try createFolder(at: parent) }
        if mkdir(path, 0o700) == 0 {
            guard chmod(path, 0o700) == 0 else { throw SystemCallFailure.current }
        } else if errno != EEXIST {
            throw SystemCallFailure.current
        }
    }

    /// Why the folder at `path` is not safe to keep secrets in; `nil` when it is.
    static func weakness(ofFolder path: String) throws -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemCallFailure.current }
        if status.st_mode & S_IFMT == S_IFLNK { return "it is a symbolic link" }
        if status.st_mode & S_IFMT != S_IFDIR { return "it is not a folder" }
        if status.st_uid != geteuid() { return "it belongs to another user" }
        if status.st_mode & 0o077 != 0 { return "other users can open it; its mode must be 0700" }
        return nil
    }

    /// The whole content of a file that is not a symbolic link.
    static func read(_ path: String) throws -> Data {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallFailure.current }
        defer { close(descriptor) }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = Self.read(descriptor, &buffer)
            if count < 0 { throw SystemCallFailure.current }
            if count == 0 { return content }
            content.append(contentsOf: buffer[..<count])
        }
    }

    /// Replaces `path` so that a reader, and a machine that loses power, sees the old content or the new one.
    static func replace(_ path: String, with content: Data) throws {
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = "\(folder)/.\(UUID().uuidString).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemCallFailure.current }
        do {
            defer { close(descriptor) }
            // Before the first byte, because the umask may have left more or less than was asked for.
            guard fchmod(descriptor, 0o600) == 0 else { throw SystemCallFailure.current }
            try writeAll(content, to: descriptor)
            guard flush(descriptor) == 0 else { throw SystemCallFailure.current }
        } catch {
            unlink(temporary)
            throw error
        }
        guard rename(temporary, path) == 0 else {
            let failure = SystemCallFailure.current
            unlink(temporary)
            throw failure
        }
        try flushFolder(folder)
    }

    private static func writeAll(_ content: Data, to descriptor: Int32) throws {
        try content.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw SystemCallFailure.current }
                written += count
            }
        }
    }

    private static func flushFolder(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallFailure.current }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw SystemCallFailure.current }
    }

    private static func flush(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // fsync on Darwin stops at the drive's cache.
        fcntl(descriptor, F_FULLFSYNC)
        #else
        fsync(descriptor)
        #endif
    }

    private static func read(_ descriptor: Int32, _ buffer: inout [UInt8]) -> Int {
        #if canImport(Darwin)
        Darwin.read(descriptor, &buffer, buffer.count)
        #elseif canImport(Glibc)
        Glibc.read(descriptor, &buffer, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, &buffer, buffer.count)
        #endif
    }

    private static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
        Darwin.write(descriptor, bytes, count)
        #elseif canImport(Glibc)
        Glibc.write(descriptor, bytes, count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes, count)
        #endif
    }
}

/// An exclusive lock on a file, held by one descriptor and freed by the kernel when its process dies.
///
/// `flock` and not `fcntl` locks: those vanish when any descriptor of the process for the file is closed, and two
/// copies of this library in one process would not exclude each other.
final class FileLock: StoreLease {
    private let descriptor: Locked<Int32?>

    private init(descriptor: Int32) {
        self.descriptor = Locked(descriptor)
    }

    deinit { unlock() }

    /// The lock on `path`, which is created when missing and never removed; `nil` while somebody else holds it.
    static func tryLock(_ path: String) throws -> FileLock? {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw SystemCallFailure.current }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let failure = SystemCallFailure.current
                close(descriptor)
                if failure.errorNumber == EWOULDBLOCK { return nil }
                if failure.errorNumber == EINTR { continue }
                throw failure
            }
            // A cleaner may have removed the file between open and lock; then this lock excludes nobody.
            var (held, current) = (stat(), stat())
            if fstat(descriptor, &held) == 0, stat(path, &current) == 0,
                held.st_ino == current.st_ino, held.st_dev == current.st_dev
            {
                return FileLock(descriptor: descriptor)
            }
            close(descriptor)
        }
    }

    func release() async { unlock() }

    func unlock() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        if let open { close(open) }
    }
}
