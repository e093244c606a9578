#if Tools
import ArgumentParser
import IdentityKit

/// `identity switch`: acts as another account from now on.
struct SwitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch",
        abstract: "Act as another account.",
        discussion: """
            Every program that shares the store and the profile does so from now on.

            EXAMPLES
              identity switch work/0190f6a2
              identity switch home
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account as \"identity accounts\" lists it, or a part of it that only one has.")
    var account: String

    func run() async throws {
        let terminal = Terminal()
        let chosen = try await ToolSession.run(place) { [account] session in
            let chosen = try AccountChoice(account).chosen(from: await session.client.accounts().map(\.account))
            try await session.client.select(chosen)
            return chosen
        }
        if output.json {
            try terminal.json(["account": chosen.id, "provider": chosen.realm])
        } else {
            try terminal.line(chosen.id)
        }
    }
}

/// An account as a person types it.
struct AccountChoice {
    let text: String

    init(_ text: String) { self.text = text }

    /// The one account that is meant: by its whole name, else by a part of it.
    /// - Throws: ``AccountChoiceError``.
    func chosen(from accounts: [AccountID]) throws -> AccountID {
        if let exact = accounts.first(where: { $0.id == text }) { return exact }
        let matches = accounts.filter { $0.id.contains(text) }
        guard let only = matches.first, matches.count == 1 else {
            throw AccountChoiceError(text: text, matches: matches.map(\.id), known: accounts.map(\.id))
        }
        return only
    }
}

/// No account is meant, or more than one.
struct AccountChoiceError: IdentityFailure {
    let text: String
    let matches: [String]
    let known: [String]

    var failureCode: String { matches.isEmpty ? "unknown_account" : "ambiguous_account" }
    let failureClass = FailureClass.definitive

    var message: String {
        if !matches.isEmpty { return "\"\(text)\" may be \(matches.joined(separator: " or ")). Write more of it." }
        let others = known.isEmpty ? "Nobody is signed in." : "There are: \(known.joined(separator: ", "))."
        return "There is no account \"\(text)\". \(others)"
    }
}
#endif
