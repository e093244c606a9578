import ArgumentParser
import IdentityKit

/// `identity erase`: signs an account out, and erases all records about it. A database's audit trail stays.
struct EraseCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { Erased.self }

    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Sign out and erase all that is kept about an account.",
        discussion: """
            For a person who asks to be forgotten. The account is signed out, as "identity logout" does. Then everything about \
            it is erased: the session, what was put aside of it, choices that name it, and a sign-out that waits for its \
            server. The audit trail of a database stays. A database then holds no record with the account's name; in other \
            stores an erased record keeps it.

            Without a terminal nothing is erased unless --yes is given, and with --yes a part of a name is not enough. It can be \
            repeated, also for an account without a session, by its whole identifier.

            EXAMPLES
              identity erase ada@example.com
              identity erase --yes work/0190f6a2-77b1
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(
        help: """
            The account: its identifier, e-mail address, user name, name or provider; without --yes also a part that only \
            one has.
            """, completion: CommandCompletions.ofAccounts)
    var account: String

    @Flag(help: "Do not ask.")
    var yes = false

    /// The JSON output: the identifier of the erased account.
    private struct Erased: Codable {
        let erased: String
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        let questions = Questions(call)
        guard yes || questions.isPossible else {
            throw ValidationError("Give --yes: there is no terminal at which to ask.")
        }
        let erased = try await ToolSession.run(place, in: call) { [self] session in
            let listing = try await session.accounts()
            let chosen = try account(of: listing)
            let name = call.names.name(of: chosen)
            if !yes {
                let question = Question(
                    name: "yes", meaning: "Erase \(name)? This cannot be undone. Type yes", standard: "no")
                guard try await questions.answer(to: question).lowercased() == "yes" else { return nil as AccountID? }
            }
            if let gap = session.absenceOfProvider(of: chosen) {
                try await session.endHere(chosen)
                try await session.client.eraseRecords(of: chosen)
                if listing.accounts.contains(where: { $0.account == chosen }) {
                    session.reportEndHere(chosen, because: gap)
                }
            } else {
                try await session.client.eraseAccount(chosen)
            }
            if !output.json { terminal.note("Erased \(name).") }
            return chosen
        }
        guard let erased else {
            terminal.note("Nothing was erased.")
            throw ExitStatus.failure.code
        }
        if output.json { try terminal.json(Erased(erased: erased.id)) }
    }

    /// Returns the account to erase. An account without a session must be named by its complete identifier. With `--yes`, a
    /// part of a name or an identifier does not match: when the command is repeated, the same part could match another account.
    /// - Throws: ``AccountChoiceError``, or the error of an unreadable record if no account matches.
    private func account(of listing: AccountListing) throws -> AccountID {
        do {
            return try AccountChoice(text: account, isWhole: yes).chosen(from: listing.accounts)
        } catch let error as AccountChoiceError where error.matches.isEmpty {
            if let named = AccountID(id: account) { return named }
            // An unreadable record may belong to the account, so its error is the reason to report.
            if let failure = listing.failures.first { throw failure }
            throw error
        }
    }
}
