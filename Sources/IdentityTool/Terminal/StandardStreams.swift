import Foundation

enum StandardStreams {
    /// Opens `/dev/null` for each closed standard stream. Otherwise the next opened file would get the stream's descriptor, and
    /// a token for standard output could be written into that file. Writing to such a stream is still an error, because
    /// `/dev/null` is opened only for reading.
    static func fillGaps() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
            // `open` uses the lowest free descriptor, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Whether the process can open at least eight more files, for the runtime and the store. With fewer, the runtime may crash
    /// before a command can report the reason.
    static var allowOpening: Bool {
        let files = (0..<8).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for file in files where file >= 0 { close(file) }
        return !files.contains(-1)
    }
}
