import Foundation
import IdentityKit
import IdentityTerminal

/// The program that `identity exec` runs. Its environment contains the account's identifier, and a token or the path of a
/// token file.
struct ExecutedProgram: Sendable {
    let words: [String]
    /// The account of the token. If the program calls the tool, the tool acts for this account as well, because of the variable
    /// `SWIFT_IDENTITY_ACCOUNT`.
    let account: AccountID
    let variable: String
    let token: Secret

    private var variables: [String: String] { [NamedAccount.variable: account.id, variable: token.reveal()] }

    /// Replaces this process by the program, with `execvp`. Returns only if the program cannot be started.
    /// - Returns: the error with the system's reason.
    func replaceProcess() -> CommandNotStartedError {
        for (name, value) in variables { setenv(name, value, 1) }
        // `execvp` resets caught signals to their default actions, but the program would inherit ignored and blocked signals.
        // Therefore stop ignoring SIGPIPE, and unblock all signals.
        signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = words.map { strdup($0) } + [nil]
        execvp(words[0], &arguments)
        return notStarted(errno)
    }

    /// Runs the program as a child process, and waits for its end. A cancellation of the task sends SIGTERM to the program.
    /// - Returns: the program's exit status; for a signal that ended the program, 128 and the signal's number.
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
            // Block SIGPIPE, because a program that exits without reading its input must not end this process.
            var brokenPipe = sigset_t()
            sigemptyset(&brokenPipe)
            sigaddset(&brokenPipe, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &brokenPipe, nil)
            while let part = try? input.next(), !part.isEmpty, (try? file.write(contentsOf: part)) != nil {}
            try? file.close()
        }
    }

    /// Copies `file` to the output on a thread of its own.
    /// - Returns: a stream without elements, which finishes when the end of `file` is reached.
    private static func copy(_ file: FileHandle, to output: TerminalOutput) -> AsyncStream<Void> {
        let (ends, end) = AsyncStream<Void>.makeStream()
        Thread.detachNewThread {
            while case let part = file.availableData, !part.isEmpty { try? output.write(part) }
            end.finish()
        }
        return ends
    }

    /// Finds the program's executable file: at the given path if it contains a slash, or else in the folders of `PATH`, as a
    /// shell does.
    /// - Throws: ``CommandNotStartedError`` when there is no such file, or none that is executable.
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
    /// Whether the program does not exist. `false` for a program that exists but cannot be started.
    let isMissing: Bool

    let failureCode = "command_not_started"
    let failureClass = FailureClass.definitive

    var message: String { "\"\(command)\" could not be started: \(reason)." }
}
