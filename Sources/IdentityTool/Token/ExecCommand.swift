import ArgumentParser
import IdentityKit

/// `identity exec`: runs a program with a token in its environment.
struct ExecCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "exec",
        abstract: "Run a command with a token in its environment.",
        discussion: """
            The token is not on the command line, where every user of the machine could read it. The command replaces the \
            tool's process and receives its signals.

            EXAMPLES
              identity exec -- ./deploy.sh
              identity exec --variable GITHUB_TOKEN -- gh api user
            """)

    @OptionGroup var place: ConfigurationOptions

    @Option(name: .customLong("scope"), help: "A scope the token must carry. May be repeated.")
    var scopes: [String] = []

    @Option(help: "The variable that holds the token.")
    var variable = EnvironmentTokenProvider.defaultVariable

    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty {
            throw ValidationError("Write the command after --, such as: identity exec -- ./deploy.sh")
        }
    }

    func run(in call: ToolCall) async throws {
        let token = try await ToolSession.run(place, in: call) { [scopes] in
            try await AccessToken.current(in: $0, scopes: scopes)
        }
        token.caution.map(call.terminal.note)
        guard !variable.isEmpty, !variable.contains("=") else {
            throw ValidationError("\"\(variable)\" cannot be the name of a variable.")
        }
        let program = ExecutedProgram(words: command, variable: variable, token: token.value)
        if let replace = call.process.replace { throw try replace(program) }
        let status = try await call.process.interrupting { try await program.run(in: call.context) }
        if status != .success { throw status.code }
    }
}
