import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity exec`: runs a program with a token in its environment.
struct ExecCommand: AsyncParsableCommand {
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

    func run() async throws {
        let token = try await ToolSession.run(place) { [scopes] in
            try await AccessToken.current(in: $0, scopes: scopes)
        }
        token.caution.map(Terminal().note)
        guard setenv(variable, token.value.reveal(), 1) == 0 else {
            throw ValidationError("\"\(variable)\" cannot be the name of a variable.")
        }
        throw try replaceProcess()
    }

    /// Replaces this process by the command. Returns only when it could not be started.
    private func replaceProcess() throws -> CommandNotStarted {
        // An ignored signal stays ignored in the command. Caught signals have their default action again.
        signal(SIGPIPE, SIG_DFL)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var arguments = command.map { strdup($0) } + [nil]
        execvp(command[0], &arguments)
        return CommandNotStarted(
            command: command[0], reason: String(cString: strerror(errno)), isMissing: errno == ENOENT)
    }
}

/// The command could not be started.
struct CommandNotStarted: IdentityFailure {
    let command: String
    let reason: String
    /// Whether there is no such program.
    let isMissing: Bool

    let failureCode = "command_not_started"
    let failureClass = FailureClass.definitive

    var message: String { "\"\(command)\" could not be started: \(reason)." }
}
