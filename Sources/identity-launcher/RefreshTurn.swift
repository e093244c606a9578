import CIdentitySystem
import IdentityStoreFormat

/// Which of many launchers starts the whole tool to refresh a token. The others wait for it and read what it has stored.
///
/// It only saves work: that a refresh is sent once is the business of the store's lease. The lock is on the shortcut's file,
/// and the tool keeps it to its end, because a program that is executed inherits the descriptor. The system releases it when
/// that process dies.
struct RefreshTurn {
    /// How long a launcher waits for the tool that another one has started, in seconds. A refresh rarely takes longer, and
    /// the whole tool can wait as well.
    private static let patience: UInt32 = 10

    private let descriptor: Int32
    let isOurs: Bool

    /// `nil` where files cannot be locked.
    init?(at place: TokenShortcut.Place) {
        guard let descriptor = Self.descriptor(of: place.file) else { return nil }
        self.descriptor = descriptor
        isOurs = lock_take(descriptor)
        guard isOurs || errno == EWOULDBLOCK else {
            close(descriptor)
            return nil
        }
    }

    /// Opens a file without `O_CLOEXEC`, because the tool inherits it, and never in the place of a standard stream that is closed.
    private static func descriptor(of path: String) -> Int32? {
        let opened = uninterrupted { open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) }
        guard (0...STDERR_FILENO).contains(opened) else { return opened < 0 ? nil : opened }
        defer { close(opened) }
        let moved = fcntl(opened, F_DUPFD, STDERR_FILENO + 1)
        return moved < 0 ? nil : moved
    }

    /// Waits until the tool that another launcher has started ends, or for some seconds. The tool that this process becomes
    /// then does not keep the others waiting.
    func wait() {
        _ = lock_wait(descriptor, Self.patience)
        close(descriptor)
    }
}
