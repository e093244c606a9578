import Foundation
import IdentityKit
import IdentityTesting
import IdentityTool

/// A call of the tool's library. It has nothing of the process but copies, so that calls run side by side.
enum Tool {
    /// Runs a command to its end.
    /// - Parameters:
    ///   - environment: variables beside those of ``OwnHome``.
    ///   - folder: the working folder; `nil` for that of the tests.
    ///   - input: what standard input holds; `nil` for nothing.
    ///   - clock: the clock.
    ///   - plugins: provider types beside those of the tool.
    /// - Throws: `CancellationError` when the test's time is up.
    static func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil, input: String? = nil,
        clock: TimeSource = .system, adding plugins: [any ProviderPlugin.Type] = []
    ) async throws -> ToolProcess.Result {
        let home = try OwnHome()
        let (output, errors, unread) = (Locked(Data()), Locked(Data()), Locked(Data((input ?? "").utf8)))
        let context = ToolContext(
            environment: home.variables.merging(environment) { $1 },
            folder: folder ?? URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true),
            input: ToolContext.Input { unread.exchange(Data()) },
            output: ToolContext.Output { bytes in output.withLock { $0 += bytes } },
            errors: ToolContext.Output { bytes in errors.withLock { $0 += bytes } },
            clock: clock, patience: Patience.limit)
        let status = await IdentityTool.run(arguments, in: context, adding: plugins)
        withExtendedLifetime(home) {}
        try Task.checkCancellation()
        return ToolProcess.Result(
            status: status.rawValue, output: String(decoding: output.withLock { $0 }, as: UTF8.self),
            errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) async throws -> ToolProcess.Result {
        try await run(arguments, environment: environment, input: input)
    }
}
