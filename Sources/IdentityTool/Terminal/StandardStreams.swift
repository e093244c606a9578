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
}
