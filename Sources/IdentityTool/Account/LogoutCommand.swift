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
            The session ends here at once, also without a network, and then at the backend where that is possible. When the \
            backend cannot be reached within five seconds, a line on standard error says so, and it is told later: for a day, \
            by whatever uses the same store and configuration. A session that has ended already is removed. One whose record \
            is damaged stays; with --all a line on standard error says so, and the status is 1.

            Without the store's key the session ends here alone, because its tokens cannot be read.

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
            let (listing, isSealed) = try await listing(of: session)
            let known = listing.accounts
            // Without a name, only the record of the active account counts.
            if all || account != nil { terminal.tell(listing.failures) }
            let accounts = try await leaving(session, known, isSealed: isSealed)
            try await signOut(accounts, of: session) { account in
                let profile = known.first { $0.account == account }?.profile
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

    /// The accounts, and whether only their names could be read, because the store's key is missing.
    private func listing(of session: ToolSession) async throws -> (AccountListing, isSealed: Bool) {
        do {
            return (try await session.client.accounts(), false)
        } catch  where error.isAboutStoreKey {
            guard let sealed = try await session.client.sealedAccounts() else { throw error }
            return (sealed, true)
        }
    }

    /// Signs accounts out at the same time, so that all servers are told within five seconds.
    /// - Parameter tell: called for each account once its session is over here, before its server knows, in their order.
    private func signOut(
        _ accounts: [AccountID], of session: ToolSession, _ tell: @escaping @Sendable (AccountID) -> Void
    ) async throws {
        let line = Locked((waiting: accounts[...], isOver: [AccountID: Bool]()))
        let settle = { @Sendable (account: AccountID, isOver: Bool) in
            line.withLock { line in
                line.isOver[account] = line.isOver[account] ?? isOver
                while let first = line.waiting.first, let isOver = line.isOver[first] {
                    line.waiting.removeFirst()
                    if isOver { tell(first) }
                }
            }
        }
        let results = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for account in accounts {
                group.addTask {
                    await Result {
                        defer { settle(account, false) }
                        try await session.client.signOut(account) { settle(account, true) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { try result.get() }
    }

    private func leaving(
        _ session: ToolSession, _ known: [AccountSummary], isSealed: Bool
    ) async throws -> [AccountID] {
        if let account { return [try AccountChoice(text: account).chosen(from: known)] }
        // Accounts of providers that are not configured stay.
        let ours = known.filter { session.client.answers(for: $0.account) }
        // The choice of one of several cannot be read without the key.
        if isSealed, !all, ours.count > 1 { throw UnreadableChoiceError(accounts: ours.map(\.account)) }
        if all || isSealed { return ours.map(\.account) }
        switch try await session.client.lookUp() {
        case .found(let active), .suspended(let active, _), .fallback(let active, _),
            .none(.activeSessionEnded(let active, _)), .none(.activeBelongsElsewhere(let active, _)):
            return [active]
        // Their sessions have ended, and their records are removed.
        case .none: return ours.filter(\.hasEnded).map(\.account)
        }
    }
}
