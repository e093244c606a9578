import CIdentitySystem
import Foundation
import IdentityKit
import IdentityTerminal

/// The command-line tool as a library: `identity`, or your own tool with more provider types.
///
/// ```swift
/// await IdentityTool.main(adding: [AcmePlugin.self])
/// ```
public enum IdentityTool {
    /// Runs the command that the process was started with, and ends the process with the exit status of the command.
    ///
    /// The tool also changes the process: no secret gets into a core dump, closed standard streams are replaced, a
    /// reader that closes the output causes an error instead of a signal, and Ctrl-C cancels a command that must first
    /// finish something, such as storing a refreshed session.
    /// - Parameter plugins: additional provider types. A type with the name of a built-in type replaces the built-in
    ///   type.
    @MainActor
    public static func main(adding plugins: [any ProviderPlugin.Type] = []) async -> Never {
        // Replace closed streams before another thread can open files. The main actor runs this function on the main thread, so
        // no other thread has to be started first.
        core_dumps_forbid()
        StandardStreams.fillGaps()
        guard StandardStreams.allowOpening else {
            Terminal().note("identity: Too few files can be opened. Raise the limit of open files (ulimit -n).")
            exit(ExitStatus.failure.rawValue)
        }
        // Ignore the signal, so that writing to a closed output throws an error, and a command can still clean up.
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

    /// Runs a command in the process of the caller.
    ///
    /// Arguments, environment, working folder, streams and clock come from the parameters, not from the process. As an
    /// exception, libcurl takes the proxy of a request from the process's environment variables.
    ///
    /// Cancelling the task ends a command like Ctrl-C: a refresh in progress is stored first.
    /// - Parameters:
    ///   - arguments: the command line, without the program's name.
    ///   - context: the environment, working folder, streams and clock.
    ///   - plugins: additional provider types. A type with the name of a built-in type replaces the built-in type.
    /// - Returns: the exit status. Errors have been printed to `context.errors`.
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
