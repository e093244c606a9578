import CIdentitySystem
import IdentityStoreFormat

/// Decides which of many launchers starts the whole tool to refresh a token. The others wait and read the stored
/// result.
///
/// The lock only saves work; the store's lease ensures that a refresh is sent once. The lock is on the shortcut's file.
/// Because an executed program inherits the descriptor, the tool holds the lock until its process ends.
struct RefreshTurn {
    /// Longest wait for a tool that another launcher has started, in seconds. A refresh rarely takes longer, and the
    /// whole tool can wait as well.
    private static let patience: UInt32 = 10

    private let descriptor: Int32
    let isOurs: Bool

    /// Opens the file to lock; `nil` when files cannot be locked.
    init?(at place: TokenShortcut.Place) {
        guard let descriptor = Self.descriptor(of: place.file) else { return nil }
        self.descriptor = descriptor
        isOurs = lock_take(descriptor)
        guard isOurs || errno == EWOULDBLOCK else {
            close(descriptor)
            return nil
        }
    }

    /// Opens a file without `O_CLOEXEC`, so that the tool inherits it, and never under the number of a closed standard
    /// stream.
    private static func descriptor(of path: String) -> Int32? {
        let opened = uninterrupted { open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) }
        guard (0...STDERR_FILENO).contains(opened) else { return opened < 0 ? nil : opened }
        defer { close(opened) }
        let moved = fcntl(opened, F_DUPFD, STDERR_FILENO + 1)
        return moved < 0 ? nil : moved
    }

    /// Waits until the tool of another launcher ends, or for some seconds, without keeping further launchers waiting
    /// afterwards.
    func wait() {
        _ = lock_wait(descriptor, Self.patience)
        close(descriptor)
    }
}
