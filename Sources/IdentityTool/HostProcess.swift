import Foundation
import IdentityKit

/// Rights of a call of the tool over its process. In a library it may do nothing: the process is somebody else's.
struct HostProcess: Sendable {
    /// Begins to watch for the signals that cancel the call, and ends with the life of what it returns.
    var watchSignals: @Sendable () -> CaughtSignals? = { nil }
    /// Whether signals of the terminal find it as it was, while a password is typed.
    var guardsTerminal = false
    /// Replaces the process by a program, or says why it cannot be started; `nil` where the program has to be another
    /// process.
    var replace: (@Sendable (ExecutedProgram) throws -> CommandNotStartedError)?
    /// Starts this program with other arguments, as a process that goes on beside the one that this one becomes.
    var startBeside: (@Sendable ([String]) throws -> Void)?

    /// The result of `work`, which ends soon once the task is cancelled. A signal cancels the task for so long; at other
    /// times it has its usual effect.
    /// - Throws: what `work` throws, or `CancellationError`.
    func interrupting<Result: Sendable>(_ work: () async throws -> Result) async throws -> Result {
        let signals = watchSignals()
        defer { withExtendedLifetime(signals) {} }
        let result = try await work()
        try Task.checkCancellation()
        return result
    }

    /// Does what has to be finished, also when the task is cancelled.
    @discardableResult
    static func finishing<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        await Task { await work() }.value
    }

    /// Starts the program of this process again. It is in a group of its own, so that Ctrl-C is the command's alone.
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
