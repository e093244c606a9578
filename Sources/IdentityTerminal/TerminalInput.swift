import Foundation
import IdentityKit

/// The input of a program: a file, or the results of a function.
package final class TerminalInput: Sendable {
    /// Whether a person types the input at a terminal.
    package let isTerminal: Bool
    /// The file, which may be a terminal whose echo can be switched off; `nil` for a function.
    package let file: FileHandle?

    /// Waits for the next bytes; empty at the end.
    private let more: @Sendable () throws -> Data
    private let rest: @Sendable () throws -> Data
    /// Bytes already read after the last line.
    private let unused = Locked(Data())

    /// An input that calls `read` for the next bytes, which are empty at the end.
    package init(isTerminal: Bool, read: @escaping @Sendable () throws -> Data) {
        self.isTerminal = isTerminal
        file = nil
        more = read
        rest = {
            var all = Data()
            while case let part = try read(), !part.isEmpty { all += part }
            return all
        }
    }

    package init(_ file: FileHandle) {
        isTerminal = isatty(file.fileDescriptor) == 1
        self.file = file
        more = {
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(file.fileDescriptor, &bytes, bytes.count)
                if count >= 0 { return Data(bytes[..<count]) }
                guard errno == EINTR else { return Data() }
            }
        }
        rest = { try file.readToEnd() ?? Data() }
    }

    /// Standard input. Shared, because what one reader has read beyond its line belongs to the next reader.
    package static let standard = TerminalInput(.standardInput)

    /// Waits for the next bytes; empty at the end.
    /// - Throws: why they could not be read.
    package func next() throws -> Data {
        let kept = unused.exchange(Data())
        return kept.isEmpty ? try more() : kept
    }

    /// The next line, without its end; `nil` at the end of the input.
    /// - Parameter limit: the limit of the line in bytes.
    /// - Throws: `CancellationError` when the task is cancelled, in which case the awaited line is lost.
    ///   ``LineTooLongError``.
    package func line(upTo limit: Int = .max) async throws -> String? {
        try await Self.onThread { [self] in
            // Drop a line whose reader was cancelled.
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

    /// Skips the rest of a line that was too long.
    /// - Throws: `CancellationError` when the task is cancelled, or the error of reading.
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

    /// Reads the rest of the input.
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
                // Check, because the task may have been cancelled before.
                if Task.isCancelled { return finish(.failure(CancellationError())) }
                Thread.detachNewThread { finish(Swift.Result { try work() }) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

/// A line exceeds its limit.
package struct LineTooLongError: IdentityFailure {
    package let limit: Int

    package let failureCode = "line_too_long"
    package let failureClass = FailureClass.definitive
    package var message: String { "A line of the input is longer than \(limit) bytes." }
}
