import Foundation
import IdentityKit
import IdentityTerminal

/// The surroundings of a call of the tool, instead of those of the process: environment, working folder, streams and clock.
public struct ToolContext: Sendable {
    /// The environment variables, which also determine the home folder and the search path.
    public var environment: [String: String]
    public var folder: URL
    public var input: Input
    /// Standard output, for results.
    public var output: Output
    /// Standard error, for questions and errors.
    public var errors: Output
    public var clock: TimeSource
    /// The longest wait for a server's response to the tool's own requests, such as those that recognize a backend.
    public var patience: Duration

    /// Creates a context without anything from the process.
    public init(
        environment: [String: String], folder: URL, input: Input = .empty, output: Output, errors: Output,
        clock: TimeSource = .system, patience: Duration = .seconds(10)
    ) {
        (self.environment, self.folder, self.clock, self.patience) = (environment, folder, clock, patience)
        (self.input, self.output, self.errors) = (input, output, errors)
    }

    /// The context of this process.
    public static var ofThisProcess: ToolContext {
        ToolContext(
            environment: ProcessInfo.processInfo.environment,
            folder: URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true),
            input: Input(.standardInput), output: Output(.standardOutput), errors: Output(.standardError))
    }

    /// The input of the tool. Unread lines stay for the next call with the same input.
    public struct Input: Sendable {
        let stream: TerminalInput

        /// An empty input.
        public static var empty: Input { Input { Data() } }

        /// A file, a pipe or a terminal.
        public init(_ file: FileHandle) { stream = TerminalInput(file) }

        /// Input that a function returns.
        /// - Parameters:
        ///   - isTerminal: whether the tool may ask questions, as at a terminal.
        ///   - read: waits for the next bytes and returns them, or none at the end. Runs on a thread of its own.
        public init(isTerminal: Bool = false, read: @escaping @Sendable () throws -> Data) {
            stream = TerminalInput(isTerminal: isTerminal, read: read)
        }
    }

    /// The output of the tool.
    public struct Output: Sendable {
        let stream: TerminalOutput

        /// A file, a pipe or a terminal. After a pipe's reader has closed it, writing raises SIGPIPE unless the process
        /// ignores that.
        public init(_ file: FileHandle) {
            stream = TerminalOutput(file)
        }

        /// An output that a function receives.
        /// - Parameters:
        ///   - isTerminal: whether to write as for a terminal, for example with colours.
        ///   - columns: the width of a line in characters; `nil` if unknown.
        ///   - write: receives the next bytes.
        public init(
            isTerminal: Bool = false, columns: Int? = nil, write: @escaping @Sendable (Data) throws -> Void
        ) {
            stream = TerminalOutput(isTerminal: isTerminal, columns: columns, write: write)
        }
    }
}

extension ToolContext: CustomReflectable {
    /// Shows of the environment variables only the names.
    public var customMirror: Mirror {
        Mirror(self, showing: ["environment": environment.namesAlone, "folder": folder])
    }
}
