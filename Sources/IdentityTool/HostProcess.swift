import Foundation
import IdentityKit

/// The tool's rights over its process. Used as a library it has none, because the process belongs to somebody else.
struct HostProcess: Sendable {
    /// Starts to catch the signals that cancel a call, until the returned value is released; `nil` if signals are not caught.
    var watchSignals: @Sendable () -> CaughtSignals? = { nil }
    /// Whether the terminal is restored if a signal arrives while a password is typed.
    var guardsTerminal = false
    /// Replaces the process by a program, and returns an error if it cannot start; `nil` if the program must be a child
    /// process.
    var replace: (@Sendable (ExecutedProgram) throws -> CommandNotStartedError)?
    /// Starts this program with other arguments, as a process that continues while this process becomes the command.
    var startBeside: (@Sendable ([String]) throws -> Void)?

    /// The result of `work`, which must end soon after its task is cancelled. Signals cancel it while it runs; at other
    /// times they have their usual effect.
    /// - Throws: what `work` throws, or `CancellationError`.
    func interrupting<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
        let signals = watchSignals()
        defer { withExtendedLifetime(signals) {} }
        let result = try await work()
        try Task.checkCancellation()
        return result
    }

    /// Completes `work` even if the current task is cancelled.
    @discardableResult
    static func finishing<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        await Task { await work() }.value
    }

    /// Starts the program of this process again, in a process group of its own, so that Ctrl-C reaches only the command.
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
