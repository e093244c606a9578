import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat
import IdentityTerminal

/// A command of the tool. It takes environment, folder, streams and clock from its ``ToolCall`` instead of the process.
protocol ToolCommand: ParsableCommand {
    func run(in call: ToolCall) async throws
}

/// A call of the tool: its context, the changes that it may make to the process, its output, and the provider types that it
/// knows.
struct ToolCall: Sendable {
    let context: ToolContext
    let process: HostProcess
    let terminal: Terminal
    /// The names of accounts, which messages of this call show in place of identifiers.
    let names = AccountNames()
    /// The options that messages add to the commands they advise, such as the configuration file that the command line names.
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

    /// The call whose command line is being parsed; `nil` at other times. A task-local value, because the parser calls a
    /// command's `validate()` without arguments.
    @TaskLocal static var parsing: ToolCall?

    var variables: [String: String] { context.environment }

    /// The folder that `~` stands for. By default, the tool's files are in hidden folders inside it.
    var home: String { StorePath.home { variables[$0] } }

    var temporaryFolder: URL {
        variables["TMPDIR"].nonEmpty.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
    }

    func keyboard() -> Keyboard {
        Keyboard(context.input.stream, guarding: process.guardsTerminal ? .stops : .nothing)
    }

    /// The length of a line of prose in characters: `COLUMNS`, or else the terminal's width, or else 80. At least 24 and at
    /// most 80.
    var columns: Int {
        min(max(variables["COLUMNS"].flatMap(Int.init) ?? terminal.outputColumns ?? 80, 24), 80)
    }

    /// Prints `text` to standard error, broken into lines between words.
    func print(prose text: String, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        for line in text.visible.brokenIntoLines(of: columns - indent) { terminal.note(margin + line) }
    }

    /// Returns the absolute path of `written`, which may be relative to the working folder or begin with `~`.
    /// - Throws: `ValidationError` for a text that is not a path, and for `~` if there is no home folder.
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

    /// Returns the registry with which to make the providers of `configuration`. Loads the presets only if the configuration
    /// uses a type that no plug-in has.
    func registry(for configuration: IdentityConfiguration) -> ProviderRegistry {
        Set(configuration.providers.map(\.type)).isSubset(of: plugins.types) ? plugins : registry
    }

    var stores: StoreRegistry { plugins.stores }

    var storeContext: StoreContext { StoreContext(time: context.clock, variables: variables) }

    /// Makes the providers of `configuration` and their chain, to find mistakes before a command uses the configuration.
    /// - Throws: `ConfigurationError`, `ChainUsageError`, or a provider's error about its settings.
    func check(_ configuration: IdentityConfiguration) throws {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), webAuthenticator: nil, time: context.clock, variables: variables)
        _ = try registry.makeChain(for: configuration, environment: environment)
    }
}

extension ToolCall {
    /// Runs the command that `words` name, or prints the schema that they ask for.
    /// - Throws: the command's error, or an error of the parser, such as its request to print the help.
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
            // Run a command of the parser itself, or a group of commands, which prints its help.
            try command.run()
        }
    }

    /// Prints an error to standard error, on one line unless the text is the parser's. The parser also throws help and version,
    /// which go to standard output. Prints nothing if the task is cancelled, or the reader has closed the output.
    /// - Returns: the exit status for the error.
    func report(_ error: any Error) -> ExitStatus {
        guard !Task.isCancelled else { return .interrupted }
        let status = ExitStatus(of: error, refusals: plugins.refusals)
        switch error {
        case let error as OutputError where error.isReaderGone: break
        case let error as OutputError: report(error.message)
        case is CancellationError: report("The sign-in was cancelled.")
        case let error as ChainError:
            // Print only the decisive reason, so that it fits on one line. `identity explain` shows all attempts.
            let reason = error.underlying ?? AbsenceReason.chain(error.attempts).error
            // The status is success for a sign-in that ended as intended without a session, such as with a new password.
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

    /// Prints the help or the version to standard output, or an error about the command line to standard error.
    ///
    /// The parser breaks lines at the given width. At fewer than 80 columns it would also break the commands in examples, so
    /// that a person could not copy them, and at very few columns it would crash. Therefore the width is `COLUMNS`, but at
    /// least 80 and at most 1000 columns; by default 80. A narrower terminal wraps the lines.
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
