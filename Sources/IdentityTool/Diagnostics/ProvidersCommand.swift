import ArgumentParser
import IdentityKit
import IdentityTerminal

/// `identity providers`: lists the configured providers or the known types, or shows the settings of a type.
struct ProvidersCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type {
        if words.contains("--known") { return [Vendor].self }
        if words.contains("--types") { return [TypeRow].self }
        let names = words.drop { $0 != "providers" }.dropFirst().filter { !$0.hasPrefix("-") }
        return names.contains { call.registry.reference(of: $0) != nil } ? SettingsReference.self : [Row].self
    }

    static let configuration = CommandConfiguration(
        commandName: "providers",
        abstract: "List the configured providers, or the settings of a type.",
        discussion: """
            With a TYPE, of a provider or of a store, it lists the type's settings with \
            an example and the default of each; --types lists all types, and --known \
            those that stand for a vendor. None of these needs a configuration.

            EXAMPLES
              identity providers
              identity providers --types
              identity providers --known
              identity providers \(ExampleType.standard)
              identity providers postgres
              identity providers --json | jq -r '.[].name'
            """)

    @Argument(help: "The provider type or the store type whose settings to list.")
    var type: String?

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "List the vendors whose names are provider types, instead of the configured providers.")
    var known = false

    @Flag(help: "List the types of providers and stores, instead of the configured providers.")
    var types = false

    func validate() throws {
        guard [type != nil, known, types].filter({ $0 }).count < 2 else {
            throw ValidationError("Give one of TYPE, --known and --types.")
        }
    }

    private struct TypeRow: Codable, Sendable {
        let type: String
        let kind: SettingsReference.Kind
        let required: [String]
    }

    private struct Row: Codable, Sendable {
        let name: String
        let type: String
        let accounts: [String]
    }

    private struct Vendor: Codable, Sendable {
        let type: String
        let name: String
        let base: String
        let needs: [String]
        let page: String
        let sources: [String: String]
        let date: String
        let untried: String
        let notes: [String]

        init(_ preset: ProviderPreset) {
            (type, name, base) = (preset.type, preset.name, preset.base)
            needs = preset.parameters.filter { $0.default == nil }.map(\.name) + preset.needs
            (page, date) = (preset.page.absoluteString, preset.date)
            sources = preset.sources.mapValues(\.absoluteString)
            (untried, notes) = (preset.untried, preset.notes)
        }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        if known { return try list(call.registry.presets.map(Vendor.init), on: terminal) }
        if types { return try listTypes(in: call) }
        if let type { return try describe(type, in: call) }
        let rows = try await ToolSession.run(place, in: call) { session in
            let listing = try await session.client.accounts()
            terminal.report(listing.failures)
            let accounts = Dictionary(grouping: listing.accounts.map(\.account), by: \.realm)
            return session.configuration.providers.map { provider in
                Row(
                    name: provider.name, type: provider.type,
                    accounts: accounts[provider.name, default: []].map(\.id))
            }
        }
        if output.json { return try terminal.json(rows) }
        for row in rows {
            let people = row.accounts.isEmpty ? "no account" : row.accounts.joined(separator: ", ")
            try terminal.line("\(row.name)  \(terminal.styled("\(row.type), \(people)", .faint))")
        }
    }

    private func describe(_ type: String, in call: ToolCall) throws {
        guard let reference = call.registry.reference(of: type) else {
            throw UnknownTypeError(type: type, similar: call.registry.typeLike(type))
        }
        if output.json { return try call.terminal.json(reference) }
        try SettingsOfType(reference: reference, terminal: call.terminal, columns: call.columns).show()
    }

    private func listTypes(in call: ToolCall) throws {
        let terminal = call.terminal
        let rows = call.registry.references.map { reference in
            TypeRow(
                type: reference.type, kind: reference.kind,
                required: reference.settings.filter { $0.isRequired && !$0.keyPath.contains(".") }.map(\.keyPath))
        }
        if output.json { return try terminal.json(rows) }
        for row in rows {
            let needs = row.required.isEmpty ? "" : ", needs " + row.required.joined(separator: ", ")
            try terminal.line("\(row.type)  \(terminal.styled("\(row.kind.rawValue)\(needs)", .faint))")
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
