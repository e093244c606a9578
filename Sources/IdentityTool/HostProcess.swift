import Foundation
import IdentityKit

/// The changes that the tool may make to its process, such as catching signals. By default there are none, because a
/// process that uses the tool as a library belongs to another program.
struct HostProcess: Sendable {
    /// Catches the signals that cancel a call, until the returned value is released. Returns `nil` if signals are not
    /// caught.
    var watchSignals: @Sendable () -> CaughtSignals? = { nil }
    /// Whether the terminal is restored if a signal arrives while a password is typed.
    var guardsTerminal = false
    /// Replaces the process by a program, and returns an error if the program cannot start; `nil` to run programs as
    /// child processes.
    var replace: (@Sendable (ExecutedProgram) throws -> CommandNotStartedError)?
    /// Starts this program once more, as a second process with the given arguments. Used before `replace` turns this process
    /// into another program; `nil` if `replace` is `nil`.
    var startBeside: (@Sendable ([String]) throws -> Void)?

    /// Runs `work`. Meanwhile a caught signal cancels the call, so `work` must end soon after its task is cancelled. At
    /// other times signals have their usual effect.
    /// - Throws: what `work` throws, or `CancellationError`.
    func interrupting<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
        let signals = watchSignals()
        defer { withExtendedLifetime(signals) {} }
        let result = try await work()
        try Task.checkCancellation()
        return result
    }

    /// Runs `work` to its end, even if the current task is cancelled.
    @discardableResult
    static func finishing<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        await Task { await work() }.value
    }

    /// Starts the program of this process again. The new process gets a process group of its own, so that Ctrl-C does
    /// not reach it.
    /// - Throws: ``CommandNotStartedError``.
    static func startAgain(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            throw CommandNotStartedError(command: "identity", reason: error.localizedDescription, isMissing: false)
        }
    }
}
