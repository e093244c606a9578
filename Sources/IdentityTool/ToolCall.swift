import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat
import IdentityTerminal

/// A command of the tool, which uses its call instead of the process.
protocol ToolCommand: ParsableCommand {
    func run(in call: ToolCall) async throws
}

/// A call of the tool: its arguments, and the provider types that it knows.
struct ToolCall: Sendable {
    let context: ToolContext
    let process: HostProcess
    let terminal: Terminal
    /// The account names for this call's messages.
    let names = AccountNames()
    /// The configuration that the command line names.
    let place = NamedPlace()
    /// Whether `--verbose` stands before the command.
    let isVerbose: Bool

    /// The provider types without the presets, which are added on demand.
    private let plugins: ProviderRegistry
    private let added: [any ProviderPlugin.Type]

    init(
        _ context: ToolContext, adding added: [any ProviderPlugin.Type] = [], as process: HostProcess = HostProcess(),
        isVerbose: Bool = false
    ) {
        (self.context, self.process, self.isVerbose, self.added) = (context, process, isVerbose, added)
        terminal = Terminal(
            output: context.output.stream, errors: context.errors.stream, environment: context.environment)
        var plugins = ProviderRegistry.ofTool
        for plugin in added { plugins.register(plugin) }
        self.plugins = plugins
    }

    /// The call whose command line is being parsed. A task-local value, because the parser calls a command's
    /// `validate()` without arguments.
    @TaskLocal static var parsing: ToolCall?

    var variables: [String: String] { context.environment }

    /// The folder that `~` stands for, in which the tool keeps its files.
    var home: String { StorePath.home { variables[$0] } }

    var temporaryFolder: URL {
        variables["TMPDIR"].nonEmpty.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
    }

    func keyboard() -> Keyboard {
        Keyboard(context.input.stream, guarding: process.guardsTerminal ? .stops : .nothing)
    }

    /// The length of a line of prose in characters: the terminal's width or `COLUMNS`, limited to 24 to 80.
    var columns: Int {
        min(max(variables["COLUMNS"].flatMap(Int.init) ?? terminal.outputColumns ?? 80, 24), 80)
    }

    /// Says `text` to the person, in lines of whole words.
    func print(prose text: String, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        for line in text.visible.brokenIntoLines(of: columns - indent) { terminal.note(margin + line) }
    }

    /// The absolute path of `written`, by the rules for a store's folder.
    /// - Throws: `ValidationError`.
    func path(_ written: String) throws -> String {
        try ArgumentPath.valid { () throws(StorePathError) in
            try StorePath.absolute(written, in: context.folder.path, home: home)
        }
    }

    var registry: ProviderRegistry {
        var registry = plugins
        registry.registerVendors()
        for plugin in added { registry.register(plugin) }
        return registry
    }

    /// The registry for `configuration`. Presets are loaded only if it uses one.
    func registry(for configuration: IdentityConfiguration) -> ProviderRegistry {
        Set(configuration.providers.map(\.type)).isSubset(of: plugins.types) ? plugins : registry
    }

    var stores: StoreRegistry { plugins.stores }

    var storeContext: StoreContext { StoreContext(time: context.clock, variables: variables) }

    /// Makes the providers of `configuration`, as a start does, to find mistakes.
    /// - Throws: the error of the first provider that cannot be made.
    func check(_ configuration: IdentityConfiguration) throws {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), webAuthenticator: nil, time: context.clock, variables: variables)
        _ = try registry.makeChain(for: configuration, environment: environment)
    }
}

extension ToolCall {
    /// Runs the command named by `words`.
    /// - Throws: its error, or one of the parser.
    func perform(_ words: [String]) async throws {
        if let schema = ResultSchema(askedForIn: words, of: IdentityCommand.self, in: self) {
            return try terminal.json(schema.document)
        }
        if let mistake = UnknownCommand.message(for: words, of: IdentityCommand.self) { throw ValidationError(mistake) }
        let completions = await CommandCompletions(for: words, in: self)
        var command = try CommandCompletions.$current.withValue(completions) {
            try Self.$parsing.withValue(self) {
                try IdentityCommand.frequentCommand(in: words) ?? IdentityCommand.parseAsRoot(words)
            }
        }
        if let command = command as? any ToolCommand {
            try await command.run(in: self)
        } else {
            // A command of the parser's own, or a group of commands, which prints its help.
            try command.run()
        }
    }

    /// Prints an error to standard error, on one line.
    /// - Returns: the exit status.
    func report(_ error: any Error) -> ExitStatus {
        guard !Task.isCancelled else { return .interrupted }
        let status = ExitStatus(of: error, refusals: plugins.refusals)
        switch error {
        case let error as OutputError where error.isReaderGone: break
        case let error as OutputError: report(error.message)
        case is CancellationError: report("The sign-in was cancelled.")
        case let error as ChainError:
            // Only the decisive reason, to fit on one line; `explain` shows all attempts.
            let reason = error.underlying ?? AbsenceReason.chain(error.attempts).error
            // The sign-in ended as intended, for example with a new password.
            guard status != .success else {
                terminal.note(reason.identityMessage)
                break
            }
            report((error.stoppedAt.map { "\($0): " } ?? "") + status.advice(on: reason))
        case let failure as any IdentityFailure: report(status.advice(on: failure))
        default: return reportAsParser(error)
        }
        return status
    }

    /// Prints the help, the version, or the error about the command line.
    ///
    /// The parser breaks lines at a terminal's width. In fewer than 80 columns it would break the commands of examples as
    /// well, so that they could not be copied, and in very few it would end with a trap. So lines have 80 columns, or what
    /// `COLUMNS` wants beyond that, and a narrow terminal goes on in its next row.
    private func reportAsParser(_ error: any Error) -> ExitStatus {
        let columns = min(max(variables["COLUMNS"].flatMap(Int.init) ?? 0, 80), 1_000)
        let text = IdentityCommand.fullMessage(for: error, columns: columns)
        let code = IdentityCommand.exitCode(for: error)
        if !text.isEmpty {
            if code.isSuccess { try? terminal.line(text) } else { terminal.note(text) }
        }
        return ExitStatus(rawValue: code.rawValue)
    }

    private func report(_ message: String) {
        terminal.note("identity: " + place.completing(names.naming(message).visible))
    }
}
