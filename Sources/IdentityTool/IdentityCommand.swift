import ArgumentParser

/// `identity`: the root command, whose subcommands `--help` lists in groups.
struct IdentityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity",
        abstract: "One identity protocol, any backend behind it.",
        discussion: """
            EXAMPLES
              identity init         Set up a backend and sign in, step by step.
              identity config init --type \(ExampleType.standard) \\
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
                    SwitchCommand.self, LogoutCommand.self, EraseCommand.self,
                ]),
            CommandGroup(
                name: "Tokens",
                subcommands: [
                    TokenCommand.self, ExecCommand.self, RequestCommand.self, GitCredentialCommand.self,
                    MCPCommand.self,
                ]),
            CommandGroup(
                name: "Insight",
                subcommands: [
                    ProvidersCommand.self, ExplainCommand.self, EventsCommand.self, DoctorCommand.self,
                    ConfigCommand.self, StoreCommand.self,
                ]),
            CommandGroup(
                name: "Development",
                subcommands: [
                    ServeCommand.self, DemoCommand.self, PluginCommand.self, ClientDocumentCommand.self,
                    CompletionCommand.self, ManualCommand.self,
                ]),
        ]
    )

    /// Returns the parsed command if it is one of those that scripts and prompts run often. Parsing it without all other
    /// commands saves a third of the time of `whoami`. Returns `nil` for other commands, for invalid arguments, and for
    /// `--help`. The error messages and the help contain the complete command, such as `identity token`, which the parser knows
    /// only if it starts from the root command.
    static func frequentCommand(in words: [String]) -> (any ParsableCommand)? {
        let commands: [any ParsableCommand.Type] = [
            TokenCommand.self, WhoamiCommand.self, AccountsCommand.self, ExecCommand.self, RequestCommand.self,
        ]
        guard let command = commands.first(where: { $0.configuration.commandName == words.first }) else { return nil }
        return try? command.parse(Array(words.dropFirst()))
    }
}
