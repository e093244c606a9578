import Foundation
import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An exclusive lock on a file, held by one descriptor and freed by the kernel when its process dies.
///
/// `flock` and not `fcntl` locks: those vanish when any descriptor of the process for the file is closed, and two
/// copies of this library in one process would not exclude each other.
final class FileLock: Sendable {
    private let descriptor: Locked<Int32?>

    private init(descriptor: Int32) {
        self.descriptor = Locked(descriptor)
    }

    deinit { unlock() }

    /// The lock on `path`, which is created when missing and never removed; `nil` while somebody else holds it. It never
    /// waits: a blocked thread is one that other tasks need.
    static func tryLock(_ path: String) throws -> FileLock? {
        while true {
            let descriptor = uninterrupted { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
            guard descriptor >= 0 else { throw SystemCallError.current }
            // Such as `lease.opened`.
            FaultPoint.reached("\((path as NSString).pathExtension).opened")
            guard uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
                let failure = SystemCallError.current
                close(descriptor)
                if failure.errorNumber == EWOULDBLOCK { return nil }
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

    func unlock() {
        let open = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let open else { return }
        // Not by closing alone: a child that another thread has just forked holds a copy of the descriptor until it
        // becomes its program, and the lock with it.
        flock(open, LOCK_UN)
        close(open)
    }
}
