#if Tools
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A file that is there whole or not at all, and for its owner alone from its first byte on.
enum NewFile {
    /// Writes a file that must not exist yet.
    /// - Throws: ``NotWritten``; nothing is left behind then.
    static func write(_ content: Data, to file: URL) throws {
        let descriptor = open(file.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw NotWritten.now }
        defer { close(descriptor) }
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: content)
            guard fsync(descriptor) == 0 else { throw NotWritten.now }
        } catch {
            unlink(file.path)
            throw error as? NotWritten ?? NotWritten(reason: error.localizedDescription)
        }
    }

    /// The file could not be written.
    struct NotWritten: Error {
        /// The system's reason.
        let reason: String

        fileprivate static var now: NotWritten { NotWritten(reason: String(cString: strerror(errno)) + ".") }
    }
}
#endif
