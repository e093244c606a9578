import ArgumentParser
import Foundation
import IdentityKit

/// `identity store audit`: prints the recorded changes of an account's session, such as sign-ins, refreshes and sign-outs.
struct AuditCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { [Line].self }

    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the sign-ins, refreshes and sign-outs of an account.",
        discussion: """
            The latest are shown first, with the machine and the process that did it. They are kept by a store of the type \
            postgres whose setting "audit" is true.

            EXAMPLES
              identity store audit --account work/ada
              identity store audit --account work/ada --limit 1000 --json

            EXIT STATUS
              0    the trail was read
              1    no trail is kept
              5    the store cannot be reached
              78   the configuration has mistakes
            """)

    @Option(help: ArgumentHelp("The account, as accounts shows it.", valueName: "provider/name"))
    var account: String

    @Option(help: "How many entries are shown, from 1 to 1000.")
    var limit = 20

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...1_000).contains(limit) else { throw ValidationError("Give --limit from 1 to 1000.") }
        guard AccountID(id: account) != nil else {
            throw ValidationError("Give --account as \"provider/name\", as identity accounts shows it.")
        }
    }

    func run(in call: ToolCall) async throws {
        guard let account = AccountID(id: account) else { return }
        let limit = limit
        let entries = try await place.withStore(in: call) { store in
            let opened = try call.stores.open(store, in: call.storeContext)
            guard let audited = opened.layer((any AuditedTokenStore).self) else {
                throw TokenStoreError.unsupported(detail: "this store keeps no audit trail")
            }
            return try await audited.auditTrail(of: account, before: nil, limit: limit)
        }
        let terminal = call.terminal
        if output.json { return try terminal.json(entries.map(Line.init)) }
        for entry in entries {
            try terminal.line("\(entry.date.formatted(.iso8601))  \(entry.action.rawValue)  \(entry.place)")
        }
        if entries.isEmpty { terminal.note("identity: nothing is known of \(account).") }
    }

    private struct Line: Codable {
        let number: Int64
        let date: Date
        let account: String
        let action: String
        let generation: UInt64
        let place: String

        init(_ entry: AuditEntry) {
            (number, date, account) = (entry.number, entry.date, entry.account.id)
            (action, generation, place) = (entry.action.rawValue, entry.generation, entry.place)
        }
    }
}
