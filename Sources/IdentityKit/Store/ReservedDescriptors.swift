import StoreFormat

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// File descriptors that are kept for a later write: a process may have opened all it can by the time it knows what to
/// write.
final class ReservedDescriptors: Sendable {
    private let descriptors: Locked<[Int32]>

    /// Takes one descriptor for the file at `path`, which is created when missing, and `count` more.
    /// - Throws: ``SystemCallError``.
    init(creating path: String, further count: Int) throws {
        let first = uninterrupted { open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
        guard first >= 0 else { throw SystemCallError.current }
        descriptors = Locked([first])
        for _ in 0..<count {
            let next = uninterrupted { fcntl(first, F_DUPFD_CLOEXEC, 0) }
            guard next >= 0 else { throw SystemCallError.current }
            descriptors.withLock { $0.append(next) }
        }
    }

    deinit { release() }

    /// Gives them back, for whoever opens something next.
    func release() {
        let descriptors = descriptors.withLock { descriptors in
            defer { descriptors = [] }
            return descriptors
        }
        for descriptor in descriptors { close(descriptor) }
    }
}
