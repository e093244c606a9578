import ArgumentParser

/// `identity completion`: prints the script with which a shell completes the tool's commands and arguments.
struct CompletionCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a completion script for a shell.",
        discussion: """
            EXAMPLES
              source <(identity completion bash)
              identity completion zsh > "${fpath[1]}/_identity"
              identity completion fish > ~/.config/fish/completions/identity.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run(in call: ToolCall) async throws {
        guard let shell = CompletionShell(rawValue: shell.rawValue) else { return }
        try call.terminal.line(IdentityCommand.completionScript(for: shell))
    }
}
