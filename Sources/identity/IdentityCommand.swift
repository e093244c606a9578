#if Tools
import ArgumentParser

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
            """,
        subcommands: [DemoCommand.self, ServeCommand.self, ConfigCommand.self, PluginCommand.self]
    )
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
