import Foundation
import IdentityKit
import IdentityTerminal

/// The program that `identity exec` runs, with a token and the account's identifier in its environment.
struct ExecutedProgram: Sendable {
    let words: [String]
    /// The acting account, which the program's own calls of the tool use as well.
    let account: AccountID
    let variable: String
    let token: Secret

    private var variables: [String: String] { [NamedAccount.variable: account.id, variable: token.reveal()] }

    /// Replaces this process by the program.
    /// - Returns: the error if the program could not be started.
    func replaceProcess() -> CommandNotStartedError {
        for (name, value) in variables { setenv(name, value, 1) }
        // A caught signal gets its default action in the program, but an ignored one would stay ignored.
        signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = words.map { strdup($0) } + [nil]
        execvp(words[0], &arguments)
        return notStarted(errno)
    }

    /// Runs the program as a child process, which is ended when the task is cancelled.
    /// - Throws: ``CommandNotStartedError``.
    func run(in context: ToolContext) async throws -> ExitStatus {
        let process = Process()
        process.executableURL = try file(in: context)
        process.arguments = Array(words.dropFirst())
        process.environment = context.environment.merging(variables) { $1 }
        process.currentDirectoryURL = context.folder
        let (input, outputs) = (context.input.stream, [context.output.stream, context.errors.stream])
        let pipes = outputs.map { $0.file == nil ? Pipe() : nil }
        let inputPipe = input.file == nil ? Pipe() : nil
        process.standardInput = input.file ?? inputPipe
        process.standardOutput = outputs[0].file ?? pipes[0]
        process.standardError = outputs[1].file ?? pipes[1]
        let (ends, end) = AsyncStream<Void>.makeStream()
        process.terminationHandler = { _ in end.finish() }
        do {
            try process.run()
        } catch {
            throw CommandNotStartedError(command: words[0], reason: error.localizedDescription, isMissing: false)
        }
        let number = process.processIdentifier
        if let inputPipe { Self.copy(input, to: inputPipe.fileHandleForWriting) }
        let copies = zip(pipes, outputs).compactMap { pipe, output in
            pipe.map { Self.copy($0.fileHandleForReading, to: output) }
        }
        await withTaskCancellationHandler {
            for copy in copies { for await _ in copy {} }
            for await _ in ends {}
        } onCancel: {
            kill(number, SIGTERM)
        }
        let status = process.terminationStatus
        return process.terminationReason == .uncaughtSignal
            ? ExitStatus(ofSignal: status) : ExitStatus(rawValue: status)
    }

    private static func copy(_ input: TerminalInput, to file: FileHandle) {
        Thread.detachNewThread {
            // Block SIGPIPE: a program that ends without reading its input must not end this process.
            var brokenPipe = sigset_t()
            sigemptyset(&brokenPipe)
            sigaddset(&brokenPipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
            while let part = try? input.next(), !part.isEmpty, (try? file.write(contentsOf: part)) != nil {}
            try? file.close()
        }
    }

    /// Copies a file to the output on a thread of its own.
    /// - Returns: a stream that ends with `file`.
    private static func copy(_ file: FileHandle, to output: TerminalOutput) -> AsyncStream<Void> {
        let (ends, end) = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            while case let part = file.availableData, !part.isEmpty { try? output.write(part) }
            end.finish()
        }
        return ends
    }

    /// The program's file, searched for as a shell does.
    private func file(in context: ToolContext) throws -> URL {
        let folders =
            words[0].contains("/")
            ? [""]
            : (context.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
                .map { "\($0)/" }
        let files = folders.map { $0 + words[0] }.map { $0.hasPrefix("/") ? $0 : "\(context.folder.path)/\($0)" }
        if let file = files.first(where: FileManager.default.isExecutableFile) { return URL(fileURLWithPath: file) }
        throw notStarted(files.contains { FileManager.default.fileExists(atPath: $0) } ? EACCES : ENOENT)
    }

    private func notStarted(_ error: Int32) -> CommandNotStartedError {
        CommandNotStartedError(command: words[0], reason: String(cString: strerror(error)), isMissing: error == ENOENT)
    }
}

struct CommandNotStartedError: IdentityFailure {
    let command: String
    let reason: String
    /// Whether the program does not exist, as opposed to being unusable.
    let isMissing: Bool

    let failureCode = "command_not_started"
    let failureClass = FailureClass.definitive

    var message: String { "\"\(command)\" could not be started: \(reason)." }
}
