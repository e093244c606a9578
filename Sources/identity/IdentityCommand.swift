import ArgumentParser
import CoreDumps
import Foundation
import IdentityKit

/// `identity`: the framework at a terminal.
@main
struct IdentityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "One identity protocol, any backend behind it.",
        discussion: """
            EXAMPLES
              identity config init --type openid-connect --set issuer=https://id.example.com --set clientID=cli
              identity login
              curl -H "$(identity token --format header)" https://api.example.com/me
              identity explain      Why this account, and not another.
              identity doctor       What is wrong, and how to mend it.
              identity demo         Watch the framework work against two local servers.
              identity -v token     Show the exchange with the server as well.

            \(ExitStatus.help)
            """,
        groupedSubcommands: [
            CommandGroup(
                name: "Accounts",
                subcommands: [
                    LoginCommand.self, WhoamiCommand.self, AccountsCommand.self, SwitchCommand.self, LogoutCommand.self,
                ]),
            CommandGroup(
                name: "Tokens", subcommands: [TokenCommand.self, ExecCommand.self, RequestCommand.self]),
            CommandGroup(
                name: "Insight",
                subcommands: [
                    ProvidersCommand.self, ExplainCommand.self, EventsCommand.self, DoctorCommand.self,
                    ConfigCommand.self,
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
        // A reader who leaves is an error of the next line, so that a command can still clean up.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot(VerboseOption.takingFirst(from: CommandLine.arguments.dropFirst()))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            leave(because: error)
        }
    }

    /// One line on standard error, and the exit status the help lists.
    private static func leave(because error: any Error) -> Never {
        let status = ExitStatus(of: error)
        switch error {
        case let interruption as Interrupted: Foundation.exit(128 + interruption.signal)
        case let error as OutputError where error.isReaderGone: break
        case let error as OutputError: tell(error.message)
        case is CancellationError: tell("The sign-in was given up.")
        case let error as ChainError:
            // One line; all attempts are what explain is for.
            let reason = error.underlying ?? ClientError.notSignedIn(AbsenceReason.chain(error.attempts).description)
            // An end that was wanted, and no error of a provider.
            if status == .success { end(with: reason.identityMessage) }
            tell((error.stoppedAt.map { "\($0): " } ?? "") + status.advice(on: reason))
        case let failure as any IdentityFailure: tell(status.advice(on: failure))
        default: exit(withError: error)
        }
        Foundation.exit(status.rawValue)
    }

    private static func end(with message: String) -> Never {
        Terminal().note(message)
        Foundation.exit(ExitStatus.success.rawValue)
    }

    private static func tell(_ message: String) { Terminal().note("identity: " + message) }
}
