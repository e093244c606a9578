import ArgumentParser
import IdentityKit
import TerminalPresenters

/// `identity accounts`: every account of the store.
struct AccountsCommand: AsyncParsableCommand, JSONResultCommand {
    static func result(for words: [String]) -> any Decodable.Type { [AccountRow].self }

    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts that have a session here.",
        discussion: """
            A star marks the active one. The account of a given token and a guest are listed while they are active. A \
            session that its backend ended is listed until the next sign-in. A session of another client, backend or \
            provider type than is configured is kept for its own configuration, and so is one whose provider is not in the \
            configuration.

            EXAMPLES
              identity accounts
              identity accounts --limit 20
              identity accounts --json | jq -r '.[].account'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "List this many accounts at most.",
            discussion: "They come in an order of the store's own, and no other account is read.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 at least.") }
    }

    func run() async throws {
        let terminal = Terminal()
        let rows = try await ToolSession.run(place) { [limit] session in
            let client = session.client
            let active = try await client.account()
            // The account of a given token, and a guest, have no session in the store.
            var given: AccountID?
            if let active, try await client.summary(of: active) == nil { given = active }
            let rest = limit.map { given == nil ? $0 : $0 - 1 }
            let stored =
                switch rest {
                case 0?: [] as [AccountSummary]
                case let rest?: try await client.accounts(limit: rest).accounts
                case nil: try await client.accounts()
                }
            return [given].compactMap { $0 }.map { AccountRow($0, nil, isActive: true, isConfigured: true) }
                + stored.map { summary in
                    AccountRow(
                        summary.account, summary, isActive: summary.account == active,
                        isConfigured: client.answers(for: summary.account))
                }
        }
        if output.json { return try terminal.json(rows) }
        for row in rows {
            try terminal.line("\(row.active ? "*" : " ") \(row.inWords)  \(terminal.styled(row.stateInWords, .faint))")
        }
        if rows.isEmpty { terminal.note("No account is signed in. Sign in with: identity login") }
    }
}
