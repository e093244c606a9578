import ArgumentParser
import IdentityKit
import KnownProviders
import TerminalPresenters

/// `identity providers`: the configured providers, or the vendors that the tool knows.
struct ProvidersCommand: AsyncParsableCommand, JSONResultCommand {
    static func result(for words: [String]) -> any Decodable.Type {
        words.contains("--known") ? [Vendor].self : [Row].self
    }

    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List the configured providers in their order.",
        discussion: """
            With --known it lists the types that stand for a vendor, and needs no configuration.

            EXAMPLES
              identity providers
              identity providers --known
              identity providers --json | jq -r '.[].name'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "List the vendors whose names are provider types, instead of the configured providers.")
    var known = false

    private struct Row: Codable, Sendable {
        let name: String
        let type: String
        let accounts: [String]
    }

    /// A vendor.
    private struct Vendor: Codable, Sendable {
        let type: String
        let name: String
        let base: String
        let needs: [String]
        let page: String
        let date: String
        let untried: String
        let notes: [String]

        init(_ preset: ProviderPreset) {
            (type, name, base) = (preset.type, preset.name, preset.base)
            needs = preset.parameters.filter { $0.default == nil }.map(\.name) + preset.needs
            (page, date) = (preset.page.absoluteString, preset.date)
            (untried, notes) = (preset.untried, preset.notes)
        }
    }

    func run() async throws {
        let terminal = Terminal()
        if known { return try list(KnownProviders.presets.map(Vendor.init), on: terminal) }
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

    private func list(_ vendors: [Vendor], on terminal: Terminal) throws {
        if output.json { return try terminal.json(vendors) }
        for vendor in vendors {
            let facts = "\(vendor.name), \(vendor.base), \(vendor.page)"
            try terminal.line("\(vendor.type)  \(terminal.styled(facts, .faint))")
        }
    }
}
