import Foundation
import IdentityKit
import IdentityTesting
import IdentityTool
import Testing

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
        let call = try Call(
            arguments, environment: environment, in: folder, input: input, clock: clock, adding: plugins)
        let result = await call.finish()
        try Task.checkCancellation()
        return result
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) async throws -> ToolProcess.Result {
        try await run(arguments, environment: environment, input: input)
    }

    /// A call that goes on while a test looks at it, such as one that waits for a browser.
    final class Call: TextShowing {
        /// Output and errors, in the order in which they are written.
        let shown = ShownText()

        private let (output, errors) = (Locked(Data()), Locked(Data()))
        private let status: Task<Int32, Never>

        /// - Parameter isAtTerminal: whether standard input and standard error are a terminal's.
        init(
            _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil, input: String? = nil,
            isAtTerminal: Bool = false, clock: TimeSource = .system, adding plugins: [any ProviderPlugin.Type] = []
        ) throws {
            let (home, unread) = (try OwnHome(), Locked(Data((input ?? "").utf8)))
            let context = ToolContext(
                environment: home.variables.merging(environment) { $1 },
                folder: folder ?? URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true),
                input: ToolContext.Input(isTerminal: isAtTerminal) { unread.exchange(Data()) },
                output: ToolContext.Output { [output, shown] bytes in
                    output.withLock { $0 += bytes }
                    shown.append(bytes)
                },
                errors: ToolContext.Output(isTerminal: isAtTerminal) { [errors, shown] bytes in
                    errors.withLock { $0 += bytes }
                    shown.append(bytes)
                },
                clock: clock, patience: Patience.limit)
            status = Task { [shown] in
                let status = await IdentityTool.run(arguments, in: context, adding: plugins)
                withExtendedLifetime(home) {}
                shown.end()
                return status.rawValue
            }
        }

        /// Standard output up to now.
        var outputSoFar: String { String(decoding: output.withLock { $0 }, as: UTF8.self) }

        /// Ends the call, as Ctrl-C ends a process.
        func cancel() { status.cancel() }

        /// Waits for the end, and ends the call when the test's time is up.
        func finish() async -> ToolProcess.Result {
            await withTaskCancellationHandler {
                ToolProcess.Result(
                    status: await status.value, output: outputSoFar,
                    errors: String(decoding: errors.withLock { $0 }, as: UTF8.self))
            } onCancel: {
                status.cancel()
            }
        }
    }
}

extension TextShowing {
    /// The page that is shown next, once its address is there as a whole.
    /// - Parameter part: what is in its address.
    func page(_ part: String = "scope=") async throws -> URL {
        await waits(for: part)
        await waits(for: "\n")
        let words = text.split(whereSeparator: \.isWhitespace)
        let page = words.last { $0.hasPrefix("http://") && $0.contains(part) }
        return try #require(page.flatMap { URL(string: String($0)) }, "\(text)")
    }
}
