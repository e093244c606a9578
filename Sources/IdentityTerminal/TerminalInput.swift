import Foundation
import IdentityKit

/// The input of a program: a file, or what a function returns.
package final class TerminalInput: Sendable {
    /// Whether a person types it at a terminal.
    package let isTerminal: Bool
    /// The file, which may be a terminal whose echo can be switched off; `nil` for a function.
    package let file: FileHandle?

    /// The next bytes, for which it waits; none at the end.
    private let more: @Sendable () throws -> Data
    private let rest: @Sendable () throws -> Data
    /// Bytes read behind the last line.
    private let unused = Locked(Data())

    /// An input that calls `read` for the next bytes, which are none at its end.
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

    /// Standard input of this process: one for all, because what one reader has read behind its line is another's next line.
    package static let standard = TerminalInput(.standardInput)

    /// The next bytes, for which it waits; none at the end.
    /// - Throws: why they could not be read.
    package func next() throws -> Data {
        let kept = unused.exchange(Data())
        return kept.isEmpty ? try more() : kept
    }

    /// The next line, without its end; `nil` at the end of the input.
    /// - Parameter limit: how many bytes the line may have.
    /// - Throws: `CancellationError` when the task is cancelled, and the line that comes then is lost. ``LineTooLongError``.
    package func line(upTo limit: Int = .max) async throws -> String? {
        try await Self.onThread { [self] in
            // A line that nobody waits for any more comes before the next one.
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

    /// Passes over the rest of a line that was too long.
    /// - Throws: `CancellationError` when the task is cancelled, or why it could not be read.
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

    /// Everything up to the end.
    /// - Throws: `CancellationError` when the task is cancelled, or why it could not be read.
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
                // The task may have been cancelled before.
                if Task.isCancelled { return finish(.failure(CancellationError())) }
                Thread.detachNewThread { finish(Swift.Result { try work() }) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }
}

/// A line has more bytes than its reader wants.
package struct LineTooLongError: IdentityFailure {
    package let limit: Int

    package let failureCode = "line_too_long"
    package let failureClass = FailureClass.definitive
    package var message: String { "A line of the input is longer than \(limit) bytes." }
}
