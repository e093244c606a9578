import Foundation

/// Calls `write(2)`. In ``TerminalOutput``, the name `write` means the property instead of the function.
private func sendBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}

package struct OutputError: Error {
    package let code: Int32

    /// Whether the output is a pipe that its reader, such as `head`, has closed.
    package var isReaderGone: Bool { code == EPIPE }

    package var message: String { "The output could not be written: \(String(cString: strerror(code)))." }
}

/// The output of a program: a file, or a function.
package struct TerminalOutput: Sendable {
    package let isTerminal: Bool
    /// The file to which the output goes; `nil` for a function.
    package let file: FileHandle?
    private let measure: @Sendable () -> Int?
    /// Writes data to the output.
    /// - Throws: ``OutputError`` for a file, or the error of the function.
    package let write: @Sendable (Data) throws -> Void

    /// Current width in characters; `nil` when it is unknown.
    package var columns: Int? { measure() }

    package init(isTerminal: Bool, columns: Int?, write: @escaping @Sendable (Data) throws -> Void) {
        self.isTerminal = isTerminal
        file = nil
        measure = { columns }
        self.write = write
    }

    package init(_ file: FileHandle) {
        isTerminal = isatty(file.fileDescriptor) == 1
        self.file = file
        measure = {
            var size = winsize()
            guard ioctl(file.fileDescriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
            return Int(size.ws_col)
        }
        write = { data in
            var rest = Array(data)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { sendBytes(file.fileDescriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // The file does not block, and its reader has not read the earlier bytes yet. Wait, then write again.
                    file.wait(for: Int16(POLLOUT))
                } else if errno != EINTR {
                    throw OutputError(code: errno)
                }
            }
        }
    }
}
