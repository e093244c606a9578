import Foundation

enum StandardStreams {
    /// Opens `/dev/null` in place of closed streams. Otherwise the next file that is opened gets their number, and a token for
    /// standard output is written into it. Writing to such a stream stays an error, because it is opened for reading.
    static func fillGaps() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
            // The lowest free descriptor is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Whether as many files can be opened as the runtime and the store need. With fewer the runtime may end the process with
    /// a trap, before a command can say why.
    static var allowOpening: Bool {
        let files = (0..<8).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for file in files where file >= 0 { close(file) }
        return !files.contains(-1)
    }
}
