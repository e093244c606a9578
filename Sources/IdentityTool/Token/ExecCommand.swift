import ArgumentParser
import IdentityKit

/// `identity exec`: runs a program with a token, or with the path of a file that contains one, in its environment.
struct ExecCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with a token in its environment.",
        discussion: """
            The token is not on the command line, where every user of the machine could read it. The command replaces the \
            tool's process and receives its signals.

            Where the command calls this tool, it acts for the same account: its identifier is in SWIFT_IDENTITY_ACCOUNT.

            For a command that outlives a token, --token-file gives the path of a file instead. A second process keeps the \
            token in it current, and removes the file when the command has ended, however that was.

            EXAMPLES
              identity exec -- ./deploy.sh
              identity exec --variable GITHUB_TOKEN -- gh api user
              identity exec --token-file --variable TOKEN_FILE -- ./sync.sh
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions

    @Option(name: .customLong("scope"), help: "A scope the token must carry. May be repeated.")
    var scopes: [String] = []

    @Option(
        help: """
            The variable that holds the token, or the path of its file. The default is \
            \(EnvironmentTokenProvider.defaultVariable), and none for a file.
            """)
    var variable: String?

    @Flag(help: "Give the command a file whose token is kept current.")
    var tokenFile = false

    @Option(help: "With --token-file: the ID token for this audience, in place of the access token.")
    var idToken: String?

    @OptionGroup(visibility: .hidden) var keeper: KeeperOptions

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty, keeper.process == nil {
            throw ValidationError("Write the command after --, such as: identity exec -- ./deploy.sh")
        }
        if tokenFile, variable == nil { throw ValidationError("Name the variable for the file with --variable.") }
        if idToken != nil, !tokenFile { throw ValidationError("--id-token is for --token-file.") }
        if let variable, variable.isEmpty || variable.contains("=") || variable == NamedAccount.variable {
            throw ValidationError("\"\(variable)\" cannot be the name of a variable.")
        }
    }

    func run(in call: ToolCall) async throws {
        if let process = keeper.process { return try await keep(for: process, in: call) }
        if tokenFile { return try await runWithFile(in: call) }
        let variable = variable ?? EnvironmentTokenProvider.defaultVariable
        let token = try await ToolSession.run(place, as: acting.named(in: call), in: call) { [scopes] in
            try await AccessToken.current(in: $0, scopes: scopes)
        }
        token.caution.map(call.terminal.note)
        let program = ExecutedProgram(
            words: command, account: token.account, variable: variable, token: token.value)
        if let replace = call.process.replace { throw try replace(program) }
        let status = try await call.process.interrupting { try await program.run(in: call.context) }
        if status != .success { throw status.code }
    }
}
