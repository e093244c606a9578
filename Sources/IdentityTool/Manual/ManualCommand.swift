import ArgumentParser

/// `identity manual`: prints the manual page.
struct ManualCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page, for man.",
        discussion: """
            EXAMPLES
              identity manual | man -l -
              mkdir -p ~/.local/share/man/man1
              identity manual > ~/.local/share/man/man1/identity.1
            """)

    func run(in call: ToolCall) async throws {
        try call.terminal.line(ManualPage.text(of: CommandDescription.tool()))
    }
}
