import Foundation
import IdentityKit

/// The input of a program: a file, or the results of a function.
package final class TerminalInput: Sendable {
    /// Whether the input comes from a terminal, at which a person can type.
    package let isTerminal: Bool
    /// The file that is read; `nil` for a function. The echo of a terminal is switched off with this file.
    package let file: FileHandle?

    /// Waits for the next bytes. Returns no bytes at the end of the input, and after an error of reading the file.
    private let more: @Sendable () throws -> Data
    private let rest: @Sendable () throws -> Data
    /// Bytes that were read after the end of the last line, and belong to the next line.
    private let unused = Locked(Data())

    /// Creates an input that calls `read` for the next bytes. The input ends when `read` returns no bytes.
    package init(isTerminal: Bool, read: @escaping @Sendable () throws -> Data) {
        self.isTerminal = isTerminal
        file = nil
        more = read
        rest = TerminalInput.whole(read)
    }

    package init(_ file: FileHandle) {
        isTerminal = isatty(file.fileDescriptor) == 1
        self.file = file
        let part = { @Sendable () throws -> Data in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(file.fileDescriptor, &bytes, bytes.count)
                if count >= 0 { return Data(bytes[..<count]) }
                switch errno {
                case EINTR: break
                // The file does not block, and no bytes have arrived yet. Wait for them.
                case EAGAIN: file.wait(for: Int16(POLLIN))
                case let number: throw NSError(domain: NSPOSIXErrorDomain, code: Int(number))
                }
            }
        }
        more = { (try? part()) ?? Data() }
        rest = TerminalInput.whole(part)
    }

    /// Returns a function that reads up to the end of the input.
    private static func whole(_ part: @escaping @Sendable () throws -> Data) -> @Sendable () throws -> Data {
        {
            var all = Data()
            while case let next = try part(), !next.isEmpty { all += next }
            return all
        }
    }

    /// Standard input. Shared, because a reader may read bytes after its line, and the next reader needs them.
    package static let standard = TerminalInput(.standardInput)

    /// Waits for the next bytes. Returns no bytes at the end of the input, and after an error of reading a file.
    /// - Throws: the error of an input that is a function.
    package func next() throws -> Data {
        let kept = unused.exchange(Data())
        return kept.isEmpty ? try more() : kept
    }

    /// Waits for the next line, and returns it without its line end (LF or CRLF); `nil` at the end of the input.
    /// - Parameter limit: the maximum length of the line in bytes; by default, unlimited.
    /// - Throws: ``LineTooLongError`` for a longer line. Call ``skipLine()`` after this error, before reading the next line.
    ///   `CancellationError` when the task is cancelled. The line is then lost. If the input is a function, also the error of
    ///   that function.
    package func line(upTo limit: Int = .max) async throws -> String? {
        try await Self.onThread { [self] in
            // If the task is cancelled meanwhile, this thread still reads the line, and the line is dropped.
            try unused.withLock { unused in
                var hasEnd = unused.contains(UInt8(ascii: "\n"))
                while !hasEnd, unused.count <= limit, case let part = try more(), !part.isEmpty {
                    unused += part
                    hasEnd = part.contains(UInt8(ascii: "\n"))
                }
                guard !unused.isEmpty else { return nil }
                var line = unused.prefix { $0 != UInt8(ascii: "\n") }
                guard line.count <= limit else { throw LineTooLongError(limit: limit) }
                unused = Data(unused.dropFirst(line.count + 1))
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
        }
    }

    /// Skips the next line to its line end. Call this function after ``line(upTo:)`` has refused the line as too long.
    /// - Throws: `CancellationError` when the task is cancelled, or the error of an input that is a function.
    package func skipLine() async throws {
        try await Self.onThread { [self] in
            try unused.withLock { unused in
                while !unused.contains(UInt8(ascii: "\n")) {
                    unused = try more()
                    if unused.isEmpty { return }
                }
                unused = Data(unused.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
            }
        }
    }

    /// Reads the rest of the input, up to its end.
    /// - Throws: `CancellationError` when the task is cancelled, or the error of reading.
    package func all() async throws -> Data {
        try await Self.onThread { [self] in
            try unused.withLock { unused in
                defer { unused = Data() }
                return unused + (try rest())
            }
        }
    }

    /// Runs `work` on a thread of its own, because a blocked task would occupy one of the few threads that all tasks share.
    private static func onThread<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        let waiting = Locked<CheckedContinuation<Result, any Error>?>(nil)
        @Sendable func finish(_ result: Swift.Result<Result, any Error>) {
            waiting.exchange(nil)?.resume(with: result)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0 = continuation }
                // Check for an earlier cancellation, because `onCancel` then found no continuation to resume.
                if Task.isCancelled { return finish(.failure(CancellationError())) }
                Thread.detachNewThread { finish(Swift.Result { try work() }) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

extension FileHandle {
    /// Waits until the file is ready for `events` of `poll(2)`. Needed when another process has set the file not to block.
    /// If `poll(2)` does not report that the file is ready, waits 10 milliseconds and returns.
    func wait(for events: Int16) {
        var waiting = pollfd(fd: fileDescriptor, events: events, revents: 0)
        // The caller calls again in a loop. Without this pause, the loop would be busy on a system that cannot poll the file.
        if poll(&waiting, 1, -1) < 0 || waiting.revents & events == 0 { usleep(10_000) }
    }
}

/// Error of reading a line that is longer than the reader accepts.
package struct LineTooLongError: IdentityFailure {
    package let limit: Int

    package let failureCode = "line_too_long"
    package let failureClass = FailureClass.definitive
    package var message: String { "A line of the input is longer than \(limit) bytes." }
}
