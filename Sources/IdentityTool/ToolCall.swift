import ArgumentParser
import Foundation
import IdentityKit
import IdentityStoreFormat
import IdentityTerminal

/// A command of the tool, which takes everything from its call.
protocol ToolCommand: ParsableCommand {
    func run(in call: ToolCall) async throws
}

/// A call of the tool: its arguments, and the provider types that it knows.
struct ToolCall: Sendable {
    let context: ToolContext
    let process: HostProcess
    let terminal: Terminal
    /// The names of people in the messages of this call.
    let names = AccountNames()
    /// The configuration that the command line names.
    let place = NamedPlace()
    /// Whether `--verbose` stands before the command.
    let isVerbose: Bool

    /// The provider types, without presets.
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

    /// The call whose command line is being parsed, for a command's `validate()`: the parser calls it without an argument.
    @TaskLocal static var parsing: ToolCall?

    var variables: [String: String] { context.environment }

    /// Folder that `~` stands for, and below which the tool keeps its files.
    var home: String { StorePath.home { variables[$0] } }

    var temporaryFolder: URL {
        variables["TMPDIR"].nonEmpty.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
    }

    func keyboard() -> Keyboard {
        Keyboard(context.input.stream, guarding: process.guardsTerminal ? .stops : .nothing)
    }

    /// How many characters a line of prose has: what the terminal has room for, or `COLUMNS` says, from 24 to 80.
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

    /// The registry for `configuration`. Presets are read only where one is used.
    func registry(for configuration: IdentityConfiguration) -> ProviderRegistry {
        Set(configuration.providers.map(\.type)).isSubset(of: plugins.types) ? plugins : registry
    }

    var stores: StoreRegistry { plugins.stores }

    var storeContext: StoreContext { StoreContext(time: context.clock, variables: variables) }

    /// Checks the providers of `configuration` as at a start.
    /// - Throws: what making one of them throws.
    func check(_ configuration: IdentityConfiguration) throws {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), webAuthenticator: nil, time: context.clock, variables: variables)
        _ = try registry.makeChain(for: configuration, environment: environment)
    }
}

extension ToolCall {
    /// Runs the command that `words` name.
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
            // The parser's own, and a group of commands, which shows its help.
            try command.run()
        }
    }

    /// Says in one line on standard error what went wrong.
    /// - Returns: the exit status.
    func report(_ error: any Error) -> ExitStatus {
        guard !Task.isCancelled else { return .interrupted }
        let status = ExitStatus(of: error, refusals: plugins.refusals)
        switch error {
        case let error as OutputError where error.isReaderGone: break
        case let error as OutputError: report(error.message)
        case is CancellationError: report("The sign-in was cancelled.")
        case let error as ChainError:
            // A single line; "explain" shows all attempts.
            let reason = error.underlying ?? AbsenceReason.chain(error.attempts).error
            // The sign-in ended as the person wanted, such as with a new password.
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

    /// Prints the help, the version, or what is wrong with the command line.
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
