import Foundation
import IdentityKit
import IdentityTerminal

/// Stands for the process in a call of the tool: environment, working folder, streams and clock.
public struct ToolContext: Sendable {
    /// The variables of the environment, which also say where the home folder is and what programs there are.
    public var environment: [String: String]
    public var folder: URL
    public var input: Input
    /// Standard output, for results.
    public var output: Output
    /// Standard error, for questions and errors.
    public var errors: Output
    public var clock: TimeSource
    /// How long a server may take to respond to a question of the tool's own, such as what it is.
    public var patience: Duration

    /// A context. Nothing in it is taken from the process.
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

    /// The input of the tool. Lines that one call has left are there for the next one with the same input.
    public struct Input: Sendable {
        let stream: TerminalInput

        /// An input without a byte.
        public static var empty: Input { Input { Data() } }

        /// A file, a pipe or a terminal.
        public init(_ file: FileHandle) { stream = TerminalInput(file) }

        /// Input that a function returns.
        /// - Parameters:
        ///   - isTerminal: whether the tool asks questions, as at a terminal.
        ///   - read: waits for the next bytes and returns them; none at the end. It runs on a thread of its own.
        public init(isTerminal: Bool = false, read: @escaping @Sendable () throws -> Data) {
            stream = TerminalInput(isTerminal: isTerminal, read: read)
        }
    }

    /// The output of the tool.
    public struct Output: Sendable {
        let stream: TerminalOutput

        /// A file, a pipe or a terminal. Where the reader of a pipe is gone, the system sends SIGPIPE to a process that does
        /// not ignore it.
        public init(_ file: FileHandle) {
            stream = TerminalOutput(file)
        }

        /// A function.
        /// - Parameters:
        ///   - isTerminal: whether the tool writes as for a terminal, such as with colours.
        ///   - columns: how many characters fit into a line of it; `nil` where nothing is known of that.
        ///   - write: takes the next bytes.
        public init(
            isTerminal: Bool = false, columns: Int? = nil, write: @escaping @Sendable (Data) throws -> Void
        ) {
            stream = TerminalOutput(isTerminal: isTerminal, columns: columns, write: write)
        }
    }
}

extension ToolContext: CustomReflectable {
    /// Shows of the variables only the names.
    public var customMirror: Mirror {
        Mirror(self, showing: ["environment": environment.namesAlone, "folder": folder])
    }
}
