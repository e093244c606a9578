import ArgumentParser
import IdentityKit
import IdentityTerminal

/// `identity accounts`: lists the accounts with a session in the store, and the active account.
struct AccountsCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { [AccountRow].self }

    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts that have a session here.",
        discussion: """
            A star marks the active one. The account of a given token and a guest are listed while they are active. A \
            session that its backend ended is listed until the next sign-in. A session of another client, backend or \
            provider type than is configured is kept for its own configuration, and so is one whose provider is not in the \
            configuration. A record that is damaged is told of on standard error; the others are listed.

            EXAMPLES
              identity accounts
              identity accounts --limit 20
              identity accounts --json | jq -r '.[].account'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "List this many accounts at most, in an order of the store's own. No other account is read.",
            valueName: "count"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 at least.") }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let list = try await ToolSession.run(place, in: call) { [limit] session in
            try await List(session.client, limit: limit)
        }
        if output.json {
            try terminal.json(list.rows)
        } else {
            for row in list.rows {
                let state = terminal.styled(row.stateInWords.visible, .faint)
                try terminal.line("\(row.active ? "*" : " ") \(row.inWords)  \(state)")
            }
        }
        try list.reportFailures(on: terminal)
        if list.rows.isEmpty, !output.json {
            terminal.note(
                call.place.completing(list.gap ?? "No account is signed in. Sign in with: identity login"))
        }
    }

    /// The rows to print, and the errors of records that cannot be read.
    private struct List: Sendable {
        var rows: [AccountRow] = []
        private var unreadable: [TokenStoreError] = []
        private var noActiveAccount: (any Error)?
        /// The message about missing settings if every provider lacks a setting, so that no sign-in is possible; otherwise
        /// `nil`.
        private(set) var gap: String?

        init(_ client: IdentityClient, limit: Int?) async throws {
            var active: AccountID?
            do {
                let lookup = try await client.lookUp()
                active = lookup.account
                if case .absent(let reason) = lookup { gap = (reason.error as? NothingConfiguredError)?.message }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                noActiveAccount = error
            }
            // Some accounts have no session in the store, such as those of workloads, guests and tokens in variables.
            if let active, try await client.summary(of: active) == nil {
                rows = [
                    AccountRow(
                        active, nil, isActive: true, isConfigured: true, lacksToken: client.isOnlyConfigured(active))
                ]
            }
            let rest = limit.map { $0 - rows.count }
            guard rest != 0 else { return }
            let stored = try await client.accounts(limit: rest)
            rows += stored.accounts.map { summary in
                AccountRow(
                    summary.account, summary, isActive: summary.account == active,
                    isConfigured: client.serves(summary.account))
            }
            unreadable = stored.failures
        }

        /// Prints an error for each unreadable record on standard error.
        /// - Throws: the error of looking up the active account, unless this method has already printed it as the error of an
        ///   unreadable record. If that error is not thrown, but a record is unreadable, the exit status 1.
        func reportFailures(on terminal: Terminal) throws {
            terminal.report(unreadable)
            if let noActiveAccount, !isTold(noActiveAccount) { throw noActiveAccount }
            if !unreadable.isEmpty { throw ExitStatus.failure.code }
        }

        /// Whether `error`, or the provider's error that it contains, is the error of an unreadable record.
        /// ``reportFailures(on:)`` has already printed these errors.
        private func isTold(_ error: any Error) -> Bool {
            let cause = (error as? ChainError)?.underlying ?? error
            return (cause as? TokenStoreError).map(unreadable.contains) ?? false
        }
    }
}
