#if Tools
import ArgumentParser
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
              identity demo     Watch the framework work against two local servers.
              identity serve    Start those servers and print a configuration.
              identity config check identity.json
                                Read a configuration and print what was understood.
              identity plugin new Acme
                                Write a package with a provider of your own.

            EXIT STATUS
              0   everything went well
              1   something failed
              64  the command line is wrong
              130 you pressed Ctrl-C
              141 whoever read the output has left
            """,
        subcommands: [DemoCommand.self, ServeCommand.self, ConfigCommand.self, PluginCommand.self]
    )

    static func main() async {
        // A reader who leaves is an error of the next line, so that a command can still clean up.
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
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
        switch error {
        case let error as OutputError:
            if !error.isReaderGone { Terminal().note("identity: \(error.message)") }
            Foundation.exit(error.isReaderGone ? 141 : 1)
        case is Interrupted:
            Foundation.exit(130)
        case let failure as any IdentityFailure:
            Terminal().note("identity: \(failure.message)")
            Foundation.exit(1)
        default:
            exit(withError: error)
        }
    }
}
#else
/// What is left without the package's `Tools` trait: nothing to run, and a hint.
@main
struct IdentityCommand {
    static func main() {
        print("Built without the Tools trait. Build with it to get the identity tool.")
    }
}
#endif
