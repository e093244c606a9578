import ArgumentParser
import IdentityTerminal

/// `identity manual`: the manual page.
struct ManualCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page, for man.",
        discussion: """
            EXAMPLES
              identity manual | man -l -
              mkdir -p ~/.local/share/man/man1
              identity manual > ~/.local/share/man/man1/identity.1
            """)

    func run() async throws {
        try Terminal().line(ManualPage.text(of: CommandDescription.tool()))
    }
}
