import ArgumentParser
import IdentityKit

/// `identity switch`: acts as another account from now on.
struct SwitchCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { AccountIntroduction.self }

    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Act as another account.",
        discussion: """
            This changes the account of every program that shares the store and the profile.

            EXAMPLES
              identity switch ada@example.com
              identity switch work/0190f6a2
              identity switch home
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: """
            The account as "identity accounts" lists it: its identifier, e-mail address, user name or provider, or a part \
            that only one has.
            """, completion: CommandCompletions.ofAccounts)
    var account: String

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let chosen = try await ToolSession.run(place, in: call) { [account] session in
            let listing = try await session.client.accounts()
            terminal.tell(listing.failures)
            let accounts = listing.accounts
            let live = accounts.filter(\.isLive)
            // An account whose session has ended makes no other one ambiguous, and is found only for its error.
            let choice = AccountChoice(text: account)
            let chosen = try (try? choice.chosen(from: live)) ?? choice.chosen(from: accounts)
            try await session.client.select(chosen)
            return AccountIntroduction(chosen, profile: accounts.first { $0.account == chosen }?.profile)
        }
        try chosen.print(output, on: terminal)
    }
}

extension AccountSummary {
    /// Whether its session can be used.
    var isLive: Bool {
        if case .live = session { true } else { false }
    }

    /// Whether its session belongs to another configuration.
    var isKept: Bool {
        if case .kept = session { true } else { false }
    }

    /// Whether its session has ended, whatever is configured.
    var hasEnded: Bool {
        if case .ended = session { true } else { false }
    }
}
