import ArgumentParser
import IdentityKit

/// `identity switch`: makes another account the active one, for all programs with the same store and profile. With
/// `--here`, prints the shell command that chooses the account for one terminal only.
struct SwitchCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { AccountResult.self }

    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Act as another account.",
        discussion: """
            This changes the account of every program that shares the store and the profile. With --here nothing is stored: \
            the output is for the shell of one terminal, which goes on as that account until it unsets \
            SWIFT_IDENTITY_ACCOUNT.

            EXAMPLES
              identity switch ada@example.com
              identity switch work/0190f6a2
              identity switch home
              eval "$(identity switch --here ada@example.com)"
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: """
            The account as "identity accounts" lists it: its identifier, e-mail address, user name or provider, or a part \
            that only one has.
            """, completion: CommandCompletions.ofAccounts)
    var account: String

    @Flag(help: "Print what makes the account that of this terminal alone, for the shell to evaluate.")
    var here = false

    func validate() throws {
        if here, output.json { throw ValidationError("--here prints a line for a shell. Leave out --json.") }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let chosen = try await ToolSession.run(place, in: call) { [account, here] session in
            // Throws if the account has a record that cannot be read. Another account must not be chosen in its place.
            if let identifier = AccountID(id: account) { _ = try await session.client.summary(of: identifier) }
            let listing = try await session.client.accounts()
            terminal.report(listing.failures)
            let accounts = listing.accounts
            let live = accounts.filter(\.isLive)
            // Prefer accounts with a usable session, so that an account without one does not make a name ambiguous. A match of
            // a whole name, in any account, comes before a match of a part.
            let (whole, part) = (AccountChoice(text: account, isWhole: true), AccountChoice(text: account))
            let chosen =
                try whole.found(in: live) ?? whole.found(in: accounts) ?? part.found(in: live)
                ?? part.chosen(from: accounts)
            if !here { try await session.client.select(chosen) }
            return (
                account: chosen,
                introduction: AccountResult(chosen, profile: accounts.first { $0.account == chosen }?.profile)
            )
        }
        guard !here else { return try terminal.line(try Self.export(of: chosen.account)) }
        try chosen.introduction.print(output, on: terminal)
        if let named = NamedAccount(variablesOf: call) {
            terminal.note("identity: This terminal goes on as \(named.text.visible), which \(named.source) names.")
        }
    }

    /// Returns the shell command that makes `account` the account of that shell.
    /// - Throws: `ValidationError` when the identifier contains characters that a terminal cannot show.
    private static func export(of account: AccountID) throws -> String {
        guard account.id.visible == account.id else {
            throw ValidationError("The account's identifier has characters that no terminal can show.")
        }
        return "export \(NamedAccount.variable)=\(account.id.quotedForShell)"
    }
}

extension AccountSummary {
    /// Whether the session is usable: not suspended, not ended, and not kept for another configuration.
    var isLive: Bool {
        if case .live = session { true } else { false }
    }

    /// Whether the session belongs to another configuration, for which it is kept.
    var isKept: Bool {
        if case .kept = session { true } else { false }
    }

    /// Whether the session has ended, even if it belonged to another configuration.
    var hasEnded: Bool {
        if case .ended = session { true } else { false }
    }
}
