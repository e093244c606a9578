import ArgumentParser
import CIdentitySystem
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity`: the command-line tool.
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "One identity protocol, any backend behind it.",
        discussion: """
            EXAMPLES
              identity init         Set up a backend and sign in, step by step.
              identity config init --type openid-connect \\
                --set issuer=https://id.example.com --set clientID=cli
              identity login
              curl -H "$(identity token --format header)" https://api.example.com/me
              identity explain      Show why this account is active.
              identity doctor       Find problems and how to fix them.
              identity demo         Run the framework against two local servers.
              identity -v token     Show the requests as well.

            \(ExitStatus.help)
            """,
        version: Version.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Accounts",
                subcommands: [
                    InitCommand.self, LoginCommand.self, WhoamiCommand.self, AccountsCommand.self,
                    SwitchCommand.self, LogoutCommand.self,
                ]),
            CommandGroup(
                name: "Tokens", subcommands: [TokenCommand.self, ExecCommand.self, RequestCommand.self]),
            CommandGroup(
                name: "Insight",
                subcommands: [
                    ProvidersCommand.self, ExplainCommand.self, EventsCommand.self, DoctorCommand.self,
                    ConfigCommand.self, StoreCommand.self,
                ]),
            CommandGroup(
                name: "Development",
                subcommands: [
                    ServeCommand.self, DemoCommand.self, PluginCommand.self, CompletionCommand.self, ManualCommand.self,
                ]),
        ]
    )

    static func main() async {
        core_dumps_forbid()
        StandardStreams.fillGaps()
        // When the reader has closed the output, the next write throws, so that a command can still clean up.
        signal(SIGPIPE, SIG_IGN)
        do {
            let words = VerboseOption.takingFirst(from: CommandLine.arguments.dropFirst())
            if let schema = ResultSchema(askedForIn: words, of: Self.self) {
                return try Terminal().json(schema.document)
            }
            if var frequent = frequentCommand(in: words) { return try await frequent.run() }
            var command = try parseAsRoot(words)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            leave(because: error)
        }
    }

    /// What scripts and prompts call again and again, parsed without the other commands: that takes a third of the time
    /// of `whoami`. `nil` for other commands, and for mistakes and `--help`, whose text names the whole tool.
    private static func frequentCommand(in words: [String]) -> (any AsyncParsableCommand)? {
        let commands: [any AsyncParsableCommand.Type] = [
            TokenCommand.self, WhoamiCommand.self, AccountsCommand.self, ExecCommand.self, RequestCommand.self,
        ]
        guard let command = commands.first(where: { $0.configuration.commandName == words.first }) else { return nil }
        return try? command.parse(Array(words.dropFirst()))
    }

    /// Prints one line on standard error and ends with the error's exit status.
    private static func leave(because error: any Error) -> Never {
        let status = ExitStatus(of: error)
        switch error {
        case let interruption as Interrupted: Foundation.exit(ExitStatus.code(of: interruption))
        case let error as OutputError where error.isReaderGone: break
        case let error as OutputError: tell(error.message)
        case is CancellationError: tell("The sign-in was cancelled.")
        case let error as ChainError:
            // One line; "explain" shows all attempts.
            let reason = error.underlying ?? ClientError.notSignedIn(AbsenceReason.chain(error.attempts).description)
            // The sign-in ended as the person wanted, such as with a new password.
            guard status != .success else {
                Terminal().note(reason.identityMessage)
                break
            }
            tell((error.stoppedAt.map { "\($0): " } ?? "") + status.advice(on: reason))
        case let failure as any IdentityFailure: tell(status.advice(on: failure))
        default: leave(asParserSays: error)
        }
        Foundation.exit(status.rawValue)
    }

    /// Prints the help, the version, or what is wrong with the command line, and ends.
    ///
    /// The parser breaks lines at the terminal's width. In fewer than 80 columns it would break the commands of examples as
    /// well, so that they could not be copied, and in very few it would end with a trap. So lines have 80 columns, or what
    /// `COLUMNS` wants beyond that, and a narrow terminal goes on in its next row.
    private static func leave(asParserSays error: any Error) -> Never {
        let wanted = ProcessInfo.processInfo.environment["COLUMNS"].flatMap(Int.init) ?? 0
        setenv("COLUMNS", String(min(max(wanted, 80), 1_000)), 1)
        exit(withError: error)
    }

    private static func tell(_ message: String) { Terminal().note("identity: " + message) }
}
