import Foundation
import IdentityStoreFormat

/// File descriptors reserved for a later write, in case the process reaches its limit of open files before the write.
final class ReservedDescriptors: Sendable {
    private let descriptors: Locked<[Int32]>

    /// Opens the file at `path`, which is created when missing, and reserves `count` more descriptors.
    /// - Throws: ``SystemCallError``.
    init(creating path: String, further count: Int) throws {
        let first = uninterrupted { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard first >= 0 else { throw SystemCallError.current }
        descriptors = Locked([first])
        // Set the mode explicitly, because the umask may have removed access for the owner.
        guard fchmod(first, 0o600) == 0 else { throw SystemCallError.current }
        for _ in 0..<count {
            let next = uninterrupted { fcntl(first, F_DUPFD_CLOEXEC, 0) }
            guard next >= 0 else { throw SystemCallError.current }
            descriptors.withLock { $0.append(next) }
        }
    }

    deinit { release() }

    /// Closes the reserved descriptors, so that the next files can be opened.
    func release() {
        for descriptor in descriptors.exchange([]) { close(descriptor) }
    }
}
