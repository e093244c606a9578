import ArgumentParser
import IdentityKit
import IdentityTerminal

/// `identity logout`: ends sessions.
struct LogoutCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { SignedOut.self }

    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out.",
        discussion: """
            The session ends here at once, also without a network, and at the backend where that is possible. When the \
            backend cannot be reached, a line on standard error says so. A session that has ended already is removed. One whose \
            record is damaged stays; with --all a line on standard error says so, and the status is 1.

            EXAMPLES
              identity logout
              identity logout ada@example.com
              identity logout --all
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: """
            The account: its identifier, e-mail address, user name or provider, or a part that only one has. The default is \
            the active one.
            """)
    var account: String?

    @Flag(help: "Sign every account out.")
    var all = false

    /// The accounts that were signed out.
    private struct SignedOut: Codable {
        let signedOut: [String]
    }

    func validate() throws {
        if all, account != nil { throw ValidationError("Name an account or give --all, not both.") }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let (accounts, unreadable) = try await ToolSession.run(place, in: call) { [self] session in
            let listing = try await session.client.accounts()
            let known = listing.accounts
            // Without a name, only the record of the active account counts.
            if all || account != nil { terminal.tell(listing.failures) }
            let accounts = try await leaving(session, known)
            for account in accounts {
                let profile = known.first { $0.account == account }?.profile
                try await session.client.signOut(account)
                if !output.json { terminal.note("Signed out \(account.inSentence(profile)).") }
            }
            return (accounts, listing.failures)
        }
        if output.json {
            try terminal.json(SignedOut(signedOut: accounts.map(\.id)))
        } else if accounts.isEmpty {
            terminal.note("No account is signed in.")
        }
        // Not all are signed out.
        if all, !unreadable.isEmpty { throw ExitStatus.failure.code }
    }

    private func leaving(_ session: ToolSession, _ known: [AccountSummary]) async throws -> [AccountID] {
        if let account { return [try AccountChoice(text: account).chosen(from: known)] }
        // Accounts of providers that are not configured stay.
        let ours = known.filter { session.client.answers(for: $0.account) }
        if all { return ours.map(\.account) }
        switch try await session.client.lookUp() {
        case .found(let active), .suspended(let active, _), .fallback(let active, _),
            .none(.activeSessionEnded(let active, _)), .none(.activeBelongsElsewhere(let active, _)):
            return [active]
        // Their sessions have ended, and their records are removed.
        case .none: return ours.filter(\.hasEnded).map(\.account)
        }
    }
}
