import CIdentitySystem
import IdentityStoreFormat

/// Decides which of many launchers starts the full tool (``Tool``) to refresh a token. The other launchers print the
/// current token if it may still be used. Otherwise they wait and read the stored result.
///
/// The launcher that locks the shortcut's file (`TokenShortcut`) starts the tool. The tool inherits the open file, so it holds
/// the lock until its process ends. The lock only saves work: even without it, a lease in the token store ensures that a
/// refresh is sent once.
struct RefreshTurn {
    /// Longest wait for the tool of another launcher, in seconds. A refresh rarely takes longer. After the wait, this
    /// launcher starts the full tool, which can wait for the refresh as well.
    private static let patience: UInt32 = 10

    private let descriptor: Int32
    let isOurs: Bool

    /// Opens the shortcut's file and tries to lock it. If another launcher has the lock, ``isOurs`` is `false`. Returns
    /// `nil` when the file cannot be opened, or cannot be locked for any other reason.
    init?(at place: TokenShortcut.Place) {
        guard let descriptor = Self.descriptor(of: place.file) else { return nil }
        self.descriptor = descriptor
        isOurs = lock_take(descriptor)
        guard isOurs || errno == EWOULDBLOCK else {
            close(descriptor)
            return nil
        }
    }

    /// Opens a file without `O_CLOEXEC`, so that the tool inherits it. The descriptor is never 0, 1 or 2, even if a standard
    /// stream is closed, because the tool would use the file as this stream.
    private static func descriptor(of path: String) -> Int32? {
        let opened = uninterrupted { open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) }
        guard (0...STDERR_FILENO).contains(opened) else { return opened < 0 ? nil : opened }
        defer { close(opened) }
        let moved = fcntl(opened, F_DUPFD, STDERR_FILENO + 1)
        return moved < 0 ? nil : moved
    }

    /// Waits until the tool of another launcher ends, but at most ``patience`` seconds. Then closes the file, so that
    /// this process does not keep other launchers waiting.
    func wait() {
        _ = lock_wait(descriptor, Self.patience)
        close(descriptor)
    }
}
