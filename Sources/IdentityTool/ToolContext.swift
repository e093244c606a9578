import Foundation
import IdentityKit
import IdentityTerminal

/// The environment, working folder, streams and clock of a call of the tool. The tool uses them instead of those of the
/// process, so that tests and other programs can call it in their own process.
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

    /// Creates a context that takes nothing from the process. By default there is no input.
    public init(
        environment: [String: String], folder: URL, input: Input = .empty, output: Output, errors: Output,
        clock: TimeSource = .system, patience: Duration = .seconds(10)
    ) {
        (self.environment, self.folder, self.clock, self.patience) = (environment, folder, clock, patience)
        (self.input, self.output, self.errors) = (input, output, errors)
    }

    /// The context with the environment, working folder and standard streams of this process.
    public static var ofThisProcess: ToolContext {
        ToolContext(
            environment: ProcessInfo.processInfo.environment,
            folder: URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true),
            input: Input(.standardInput), output: Output(.standardOutput), errors: Output(.standardError))
    }

    /// The input of the tool. A later call with the same value continues at the first line that was not read.
    public struct Input: Sendable {
        let stream: TerminalInput

        /// An input that ends at once, so that no command can ask or read anything.
        public static var empty: Input { Input { Data() } }

        /// Creates an input that reads a file, a pipe or a terminal.
        public init(_ file: FileHandle) { stream = TerminalInput(file) }

        /// Creates an input whose bytes a function returns.
        /// - Parameters:
        ///   - isTerminal: whether the tool may ask questions, as at a terminal.
        ///   - read: waits for the next bytes and returns them, or none at the end. Runs on a thread of its own.
        public init(isTerminal: Bool = false, read: @escaping @Sendable () throws -> Data) {
            stream = TerminalInput(isTerminal: isTerminal, read: read)
        }
    }

    /// A destination for the tool's results or for its messages.
    public struct Output: Sendable {
        let stream: TerminalOutput

        /// Creates an output that writes to a file, a pipe or a terminal. After the reader of a pipe has closed it, writing
        /// raises SIGPIPE, unless the process ignores this signal.
        public init(_ file: FileHandle) {
            stream = TerminalOutput(file)
        }

        /// Creates an output whose bytes a function receives.
        /// - Parameters:
        ///   - isTerminal: whether to write as for a terminal, for example with colors.
        ///   - columns: the width of a line in characters; `nil` if unknown.
        ///   - write: receives the next bytes.
        public init(
            isTerminal: Bool = false, columns: Int? = nil, write: @escaping @Sendable (Data) throws -> Void
        ) {
            stream = TerminalOutput(isTerminal: isTerminal, columns: columns, write: write)
        }
    }
}

extension ToolContext: Reticent {
    /// Shows the folder, and the environment variables without their values, which may be secrets.
    package var shown: KeyValuePairs<String, Any> { ["environment": environment.namesAlone, "folder": folder] }
}
