import ArgumentParser
import IdentityKit
import IdentityTerminal

/// `identity logout`: ends sessions in the store, at their servers, and in the browser.
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

            Where another account is the active one after that, a line says which. --all ends the sessions of this \
            configuration, and lists those of others, which stay; --everything ends them too. A session of a provider that is \
            not configured any more ends here alone, because nothing says how its server is told.

            Without the store's key the session ends here alone, because its tokens cannot be read.

            With the setting postLogoutRedirectURI, and a server that has a page for it, the browser's session ends as well: at \
            a terminal the page opens once the session is over here. Where the browser does not return, a line says that its \
            session may remain. With --no-browser it remains, and a line says so.

            EXAMPLES
              identity logout
              identity logout ada@example.com
              identity logout --all
              identity logout --everything
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: """
            The account: its identifier, e-mail address, user name, name or provider, as a whole. The default is \
            $SWIFT_IDENTITY_ACCOUNT, then the active one.
            """, completion: CommandCompletions.ofAccounts)
    var account: String?

    @Flag(help: "Sign every account of this configuration out.")
    var all = false

    @Flag(help: "Sign every account of the store out, whatever configuration it belongs to.")
    var everything = false

    @Flag(help: "Leave the browser's session at the server as it is.")
    var noBrowser = false

    @Option(help: "How many seconds to wait for the browser.")
    var timeout = 120

    /// The JSON output: identifiers of the accounts that were signed out, that became active, and that stay.
    private struct SignedOut: Codable {
        let signedOut: [String]
        /// The account that is active after the sign-out and was not active before; `nil` if there is none or it is
        /// unknown.
        let active: String?
        /// The accounts that `--all` keeps, such as those of other configurations; empty without `--all`.
        let left: [String]
    }

    func validate() throws {
        guard [account != nil, all, everything].filter({ $0 }).count < 2 else {
            throw ValidationError("Give one of ACCOUNT, --all and --everything.")
        }
        guard (1...86_400).contains(timeout) else { throw ValidationError("--timeout takes 1 to 86400 seconds.") }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let presenters = ToolSession.Presenters(webAuthenticator: SignOutBrowser(isLeft: noBrowser, timeout, in: call))
        let (result, others, unreadable) = try await ToolSession.run(place, in: call, presenters: presenters) {
            [self] session in
            let (listing, isSealed) = try await listing(of: session)
            let known = listing.accounts
            // Without an argument or option, unreadable records of other accounts do not matter to the sign-out.
            if all || everything || account != nil { terminal.report(listing.failures) }
            let former = try? await session.client.account()
            let accounts = try await leaving(session, listing, isSealed: isSealed)
            try await signOut(accounts, of: session) { account in
                if !output.json { terminal.note("Signed out \(call.names.name(of: account)).") }
            }
            let ended = Set(accounts)
            let left = all ? known.filter { !ended.contains($0.account) } : []
            if !output.json { report(left, of: session) }
            let active = accounts.isEmpty || isSealed ? nil : try? await session.client.account()
            let next = active == former ? nil : active
            if let next, !output.json {
                let isElsewhere = !accounts.contains { $0.realm == next.realm }
                let name = call.names.name(of: next)
                terminal.note("\(name) is active now\(isElsewhere ? ", with \(next.realm)" : "").")
            }
            let result = SignedOut(signedOut: accounts.map(\.id), active: next?.id, left: left.map(\.account.id))
            let others = all ? [] : known.filter { !$0.hasEnded && !ended.contains($0.account) }
            let option = others.allSatisfy { isOurs($0, in: session, isSealed) } ? "--all" : "--everything"
            return (result, remedy(for: others, option, in: call), listing.failures)
        }
        if output.json {
            try terminal.json(result)
        } else if result.signedOut.isEmpty, let others {
            terminal.note("No account is active here. Still signed in: \(others)")
        } else if result.signedOut.isEmpty {
            terminal.note("No account\(result.left.isEmpty ? "" : " of this configuration") is signed in.")
        }
        // If records could not be read, their accounts may still be signed in.
        if all || everything, !unreadable.isEmpty { throw ExitStatus.failure.code }
    }

    /// The names of accounts that are still signed in, and how to sign them out; `nil` without such accounts.
    private func remedy(for accounts: [AccountSummary], _ option: String, in call: ToolCall) -> String? {
        if accounts.isEmpty { return nil }
        let names = accounts.map { call.names.name(of: $0.account) }.joined(separator: ", ")
        return "\(names). Name one, or give \(option)."
    }

    /// Returns the accounts. If their records cannot be read without the store's key, only the identifiers are known, and
    /// `isSealed` is `true`.
    private func listing(of session: ToolSession) async throws -> (AccountListing, isSealed: Bool) {
        do {
            return (try await session.accounts(), false)
        } catch  where error.isAboutStoreKey {
            guard let sealed = try await session.client.sealedAccounts() else { throw error }
            return (sealed, true)
        }
    }

    /// Signs the accounts out concurrently, because each sign-out may wait five seconds for its server.
    /// - Parameter report: called for each account whose session is erased from the store, in the order of `accounts`. The
    ///   tokens of the account may not be revoked yet.
    /// - Throws: an error of a sign-out, after all sign-outs have finished.
    private func signOut(
        _ accounts: [AccountID], of session: ToolSession, _ report: @escaping @Sendable (AccountID) -> Void
    ) async throws {
        let line = Locked((waiting: accounts[...], isOver: [AccountID: Bool]()))
        let settle = { @Sendable (account: AccountID, isOver: Bool) in
            line.withLock { line in
                line.isOver[account] = line.isOver[account] ?? isOver
                while let first = line.waiting.first, let isOver = line.isOver[first] {
                    line.waiting.removeFirst()
                    if isOver { report(first) }
                }
            }
        }
        let results = await withTaskGroup(of: Result<Void, any Error>.self) { group in
            for account in accounts {
                group.addTask {
                    await Result {
                        defer { settle(account, false) }
                        guard let gap = session.absenceOfProvider(of: account) else {
                            return try await session.client.signOut(as: account) { settle(account, true) }
                        }
                        try await session.endHere(account)
                        settle(account, true)
                        session.reportEndHere(account, because: gap)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { try result.get() }
    }

    /// Prints the accounts that `--all` keeps, each with the reason, such as another configuration.
    private func report(_ left: [AccountSummary], of session: ToolSession) {
        for summary in left {
            let name = session.call.names.name(of: summary.account)
            let gap = session.absenceOfProvider(of: summary.account) ?? "it belongs to another configuration"
            session.note("\(name) stays: \(gap.withoutFinalPeriod).")
        }
        if !left.isEmpty { session.note("End them too with: identity logout --everything") }
    }

    /// Whether `--all` ends the session: it is of this configuration, and its provider could be made.
    private func isOurs(_ summary: AccountSummary, in session: ToolSession, _ isSealed: Bool) -> Bool {
        session.absenceOfProvider(of: summary.account) == nil && (isSealed || !summary.isKept)
    }

    private func leaving(
        _ session: ToolSession, _ listing: AccountListing, isSealed: Bool
    ) async throws -> [AccountID] {
        let known = listing.accounts
        let variable = all || everything ? nil : NamedAccount(variablesOf: session.call)
        if let named = account.map({ NamedAccount(text: $0) }) ?? variable {
            do {
                return [try named.choice.chosen(from: known)]
            } catch let error as AccountChoiceError where error.matches.isEmpty {
                // Throws if the account has a record that cannot be read.
                if let identifier = AccountID(id: named.text) {
                    _ = try await session.client.summary(of: identifier)
                }
                throw error
            }
        }
        if everything { return known.map(\.account) }
        let ours = known.filter { isOurs($0, in: session, isSealed) }
        // With several accounts, the key is needed to read which of them is active.
        if isSealed, !all, ours.count > 1 { throw UnreadableChoiceError(accounts: ours.map(\.account)) }
        // A record that cannot be listed may be that of the active account.
        if isSealed, !all, let failure = listing.failures.first { throw failure }
        if all || isSealed { return ours.map(\.account) }
        let lookup: AccountLookup
        do {
            lookup = try await session.client.lookUp()
        } catch let error as TokenStoreError where error.isAboutContent {
            guard ours.count == 1, listing.failures.isEmpty else { throw error }
            return ours.map(\.account)
        }
        switch lookup {
        case .found(let active), .suspended(let active, _), .fallback(let active, _),
            .absent(.activeSessionEnded(let active, _)), .absent(.activeBelongsElsewhere(let active, _)):
            return [active]
        // No account is active, so remove only the records of ended sessions.
        case .absent: return ours.filter(\.hasEnded).map(\.account)
        }
    }
}
