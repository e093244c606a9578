import ArgumentParser
import IdentityKit

/// `identity providers`: the configured providers.
struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List the configured providers in their order.",
        discussion: """
            EXAMPLES
              identity providers
              identity providers --json | jq -r '.[].name'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    private struct Row: Encodable, Sendable {
        let name: String
        let type: String
        let accounts: [String]
    }

    func run() async throws {
        let terminal = Terminal()
        let rows = try await ToolSession.run(place) { session in
            let accounts = try await session.client.accounts().map(\.account)
            return session.configuration.providers.map { provider in
                Row(
                    name: provider.name, type: provider.type,
                    accounts: accounts.filter { $0.realm == provider.name }.map(\.id))
            }
        }
        if output.json { return try terminal.json(rows) }
        for row in rows {
            let people = row.accounts.isEmpty ? "no account" : row.accounts.joined(separator: ", ")
            try terminal.line("\(row.name)  \(terminal.styled("\(row.type), \(people)", .faint))")
        }
    }
}
