import Foundation
import IdentityKit
import TestSupport
import Testing

/// The built tool, run as a process, for what only a process has: signals, pipes, a terminal, and others beside it.
final class ToolProcess: Sendable {
    /// What a finished run left behind.
    struct Result: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Runs a Bash script in which `$0` is the tool to its end.
    static func shell(_ script: String, environment: [String: String] = [:]) async throws -> Result {
        await (try start(script: script, environment: environment)).finish()
    }

    /// Starts a Bash script in which `$0` is the tool.
    static func start(
        script: String, environment: [String: String] = [:], at terminal: PseudoTerminal? = nil
    ) throws -> Run {
        try Run(
            ["-c", script, executable.path], environment: environment, of: URL(fileURLWithPath: "/bin/bash"),
            at: terminal)
    }

    /// A run that goes on.
    final class Run: Sendable {
        /// The home is there as long as the run.
        private let home: OwnHome
        private let terminal: PseudoTerminal?
        private let processIdentifier: Int32
        private let output: Task<Data, Never>
        private let errors: Task<Data, Never>
        private let status: Task<Int32, Never>
        /// The output up to the first line's end, as soon as there is one; empty when the output ends before.
        let firstLine: Task<String, Never>
        private let progress: AsyncStream<String>
        private let soFar = Locked("")

        /// - Parameters:
        ///   - program: the program; `nil` for the tool.
        ///   - folder: the working folder; `nil` for that of the tests.
        ///   - input: what standard input holds; `nil` for nothing.
        ///   - terminal: where standard input and standard error are.
        ///   - showsOutput: whether the output is there as well; otherwise it is a pipe.
        init(
            _ arguments: [String], environment: [String: String] = [:], of program: URL? = nil, in folder: URL? = nil,
            input: String? = nil, at terminal: PseudoTerminal? = nil, showsOutput: Bool = false
        ) throws {
            home = try OwnHome()
            self.terminal = terminal
            let process = Process()
            process.executableURL = try program ?? executable
            process.arguments = arguments
            if let folder { process.currentDirectoryURL = folder }
            // Swift Testing reads NO_COLOR of whoever runs the tests.
            let inherited = home.variables.filter { $0.key != "NO_COLOR" }
            process.environment = inherited.merging(environment) { _, new in new }
            let (outputPipe, errorPipe) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (outputPipe, errorPipe)
            process.standardInput = FileHandle.nullDevice
            if let input {
                let pipe = Pipe()
                process.standardInput = pipe
                pipe.fileHandleForWriting.write(Data(input.utf8))
                try pipe.fileHandleForWriting.close()
            }
            if let terminal { (process.standardInput, process.standardError) = (terminal.device, terminal.device) }
            if let terminal, showsOutput { process.standardOutput = terminal.device }
            let (statuses, end) = AsyncStream<Int32>.makeStream()
            process.terminationHandler = { process in
                end.yield(process.terminationStatus)
                end.finish()
            }
            try process.run()
            processIdentifier = process.processIdentifier
            status = Task {
                for await status in statuses { return status }
                return -1
            }
            let (lines, announce) = AsyncStream<String>.makeStream()
            firstLine = Task {
                for await line in lines { return line }
                return ""
            }
            let (progress, advance) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(1))
            self.progress = progress
            output = Self.reading(outputPipe) { [soFar] text in
                soFar.withLock { $0 = text }
                if text.contains("\n") { announce.yield(text) }
                advance.yield(text)
            } ended: {
                announce.finish()
                advance.finish()
            }
            terminal?.release()
            if terminal != nil { try errorPipe.fileHandleForWriting.close() }
            if terminal != nil, showsOutput { try outputPipe.fileHandleForWriting.close() }
            errors = Self.reading(errorPipe) { _ in }
        }

        /// The output up to now.
        var outputSoFar: String { soFar.withLock { $0 } }

        /// Waits until the output contains `text`, or ends.
        func waits(for text: String) async {
            for await output in progress where output.contains(text) { return }
        }

        /// Sends Ctrl-C.
        func interrupt() { send(SIGINT) }

        /// Sends Ctrl-C to the program and to what it has started, as a terminal does. Foundation starts every program in a
        /// group of its own.
        func interruptAll() { kill(-processIdentifier, SIGINT) }

        /// Sends a signal.
        func send(_ signal: Int32) { kill(processIdentifier, signal) }

        /// Waits until a signal has stopped the program, or it has ended.
        func waitsUntilStopped() async { await StoppedProcess.wait(for: processIdentifier) }

        /// Waits for the end, of what the terminal shows as well, and ends the program when the test's time is up.
        func finish() async -> Result {
            await withTaskCancellationHandler {
                await terminal?.ends()
                return Result(
                    status: await status.value, output: String(decoding: await output.value, as: UTF8.self),
                    errors: String(decoding: await errors.value, as: UTF8.self))
            } onCancel: {
                kill(processIdentifier, SIGKILL)
            }
        }

        /// Reads a pipe to its end on a thread of its own: a blocked task would hold one of the few threads all tasks
        /// share.
        private static func reading(
            _ pipe: Pipe, _ progress: @escaping @Sendable (String) -> Void,
            ended: @escaping @Sendable () -> Void = {}
        ) -> Task<Data, Never> {
            let file = pipe.fileHandleForReading
            let (results, finish) = AsyncStream<Data>.makeStream()
            Thread.detachNewThread {
                var all = Data()
                while case let part = file.availableData, !part.isEmpty {
                    all += part
                    progress(String(decoding: all, as: UTF8.self))
                }
                // At once and not when nobody knows of it any more: the suite starts a thousand programs, and Foundation's
                // Process crashes where too many files are open.
                try? file.close()
                ended()
                finish.yield(all)
            }
            return Task {
                for await data in results { return data }
                return Data()
            }
        }
    }

    /// Beside the test bundle, where the package manager puts every product.
    static var executable: URL {
        get throws {
            let bundle = try #require(
                CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments.first)
            var folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
            for _ in 0..<5 {
                let tool = folder.appendingPathComponent("identity")
                if FileManager.default.isExecutableFile(atPath: tool.path) { return tool }
                folder.deleteLastPathComponent()
            }
            throw CocoaError(.fileNoSuchFile)
        }
    }
}
