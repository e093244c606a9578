import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The three streams that every program expects to be open.
enum StandardStreams {
    /// Takes the place of the streams that are closed. Otherwise the next file to be opened gets their number, and a
    /// token meant for standard output would be written into it.
    ///
    /// What takes their place can only be read, and is empty: writing to a stream that was closed stays an error.
    static func fillGaps() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 {
            // The lowest free number is this one: those below are open by now.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
