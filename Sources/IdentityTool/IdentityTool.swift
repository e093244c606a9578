import CIdentitySystem
import Foundation
import IdentityKit
import IdentityTerminal

/// The command-line tool as a library: `identity`, or a tool of your own that knows more provider types.
///
/// ```swift
/// await IdentityTool.main(adding: [AcmePlugin.self])
/// ```
public enum IdentityTool {
    /// Runs the command that the process was started with, and ends the process with its exit status.
    ///
    /// It does what belongs to a process alone: no secret comes into a core dump, a closed standard stream is replaced, a
    /// reader that has closed the output is an error and no signal, and Ctrl-C cancels a command that has something to
    /// finish.
    /// - Parameter plugins: provider types beside those of the tool. One of the same name replaces the tool's.
    @MainActor
    public static func main(adding plugins: [any ProviderPlugin.Type] = []) async -> Never {
        // The main actor's program calls this without a change of threads, which would open files before closed streams are
        // replaced.
        core_dumps_forbid()
        StandardStreams.fillGaps()
        guard StandardStreams.allowOpening else {
            Terminal().note("identity: Too few files can be opened. Raise the limit of open files (ulimit -n).")
            exit(ExitStatus.failure.rawValue)
        }
        // When the reader has closed the output, the next write throws, so that a command can still clean up.
        signal(SIGPIPE, SIG_IGN)
        let (signals, arrival) = AsyncStream<Int32>.makeStream()
        let call = Task {
            await run(
                Array(CommandLine.arguments.dropFirst()), in: .ofThisProcess, adding: plugins,
                as: HostProcess(
                    watchSignals: { CaughtSignals { arrival.yield($0) } }, guardsTerminal: true,
                    replace: { $0.replaceProcess() },
                    startBeside: HostProcess.startAgain))
        }
        let interruption = Task {
            for await number in signals {
                call.cancel()
                return number
            }
            return SIGINT
        }
        let status = await call.value
        arrival.finish()
        exit(status == .interrupted ? ExitStatus(ofSignal: await interruption.value).rawValue : status.rawValue)
    }

    /// Runs a command.
    ///
    /// Nothing of the process is used but its memory, its network and its files: the arguments, the environment, the working
    /// folder, the streams and the clock are those that are given. The proxy of a request is the exception: libcurl takes it
    /// from the variables of the process. When the task is cancelled, a command ends as with Ctrl-C: a refresh that is under
    /// way is stored first.
    /// - Parameters:
    ///   - arguments: the command line, without the program's name.
    ///   - context: what a process would have.
    ///   - plugins: provider types beside those of the tool. One of the same name replaces the tool's.
    /// - Returns: how it ended. Errors were told on `context.errors`.
    public static func run(
        _ arguments: [String], in context: ToolContext, adding plugins: [any ProviderPlugin.Type] = []
    ) async -> ExitStatus {
        await run(arguments, in: context, adding: plugins, as: HostProcess())
    }

    private static func run(
        _ arguments: [String], in context: ToolContext, adding plugins: [any ProviderPlugin.Type],
        as process: HostProcess
    ) async -> ExitStatus {
        let words = VerboseOption.withoutFirst(arguments)
        let call = ToolCall(
            context, adding: plugins, as: process, isVerbose: words.count < arguments.count)
        do {
            try await call.perform(words)
            return .success
        } catch {
            return call.report(error)
        }
    }
}
