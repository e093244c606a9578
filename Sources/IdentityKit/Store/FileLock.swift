import Foundation
import IdentityStoreFormat

/// An exclusive lock on a file, held by one descriptor and freed by the kernel when its process dies.
///
/// Uses `flock`. With `fcntl`, the process would lose its lock when it closes any descriptor of the file, and two
/// copies of this library in one process would not exclude each other.
final class FileLock: Sendable {
    private let descriptor: Locked<Int32?>

    private init(descriptor: Int32) {
        self.descriptor = Locked(descriptor)
    }

    deinit { unlock() }

    /// Locks the file at `path`, which is created when missing and never removed. The call does not wait, because tasks
    /// must not block their threads.
    /// - Returns: `nil` while another holder has the lock.
    /// - Throws: ``SystemCallError``.
    static func tryLock(_ path: String) throws -> FileLock? {
        while true {
            let descriptor = uninterrupted { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
            guard descriptor >= 0 else { throw SystemCallError.current }
            var (held, current) = (stat(), stat())
            let isKnown = fstat(descriptor, &held) == 0
            // Correct the mode: the umask may have removed access for the owner, which would lock everybody out.
            if isKnown, held.st_mode & 0o777 != 0o600 { fchmod(descriptor, 0o600) }
            // The fault point has the name of the lock's purpose, such as `lease.opened`.
            FaultPoint.reached("\((path as NSString).pathExtension).opened")
            guard uninterrupted({ flock(descriptor, LOCK_EX | LOCK_NB) }) == 0 else {
                let failure = SystemCallError.current
                close(descriptor)
                if failure.errorNumber == EWOULDBLOCK { return nil }
                throw failure
            }
            // If the file was removed between opening and locking, this lock excludes no process, so try again.
            if isKnown, stat(path, &current) == 0,
                held.st_ino == current.st_ino, held.st_dev == current.st_dev
            {
                return FileLock(descriptor: descriptor)
            }
            close(descriptor)
        }
    }

    func unlock() {
        guard let open = descriptor.exchange(nil) else { return }
        // Unlock explicitly: a child process that another thread has just forked has a copy of the descriptor, and so
        // of the lock, until it executes its program.
        flock(open, LOCK_UN)
        close(open)
    }
}
