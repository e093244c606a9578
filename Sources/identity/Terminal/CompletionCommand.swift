import ArgumentParser

/// `identity completion`: the tab key.
struct CompletionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a completion script for a shell.",
        discussion: """
            EXAMPLES
              source <(identity completion bash)
              identity completion zsh > "${fpath[1]}/_identity"
              identity completion fish > ~/.config/fish/completions/identity.fish
            """)

    /// The shells there are scripts for.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        var shell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: Shell

    func run() async throws {
        try Terminal().line(IdentityCommand.completionScript(for: shell.shell))
    }
}
