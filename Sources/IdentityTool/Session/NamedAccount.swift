import ArgumentParser
import IdentityKit
import IdentityStoreFormat

/// The option `--account` of commands that act for one account.
struct AccountOptions: ParsableArguments {
    @Option(
        help: """
            The account to act for: its identifier, e-mail address, user name, name or provider. The default is \
            $SWIFT_IDENTITY_ACCOUNT, then the active one.
            """, completion: CommandCompletions.ofAccounts)
    var account: String?

    func validate() throws {
        if account?.isEmpty == true { throw ValidationError("--account needs an account.") }
    }

    /// Returns the account that `--account` names, or else the account in `SWIFT_IDENTITY_ACCOUNT`; `nil` if neither is given,
    /// so that the active account acts.
    func named(in call: ToolCall) -> NamedAccount? {
        account.map { NamedAccount(text: $0) } ?? NamedAccount(variablesOf: call)
    }
}

/// An account given on the command line or in an environment variable. If no account matches, the command fails and does not
/// act for the active account instead.
struct NamedAccount: Sendable {
    static let variable = ProcessVariables.account

    let text: String
    /// The environment variable that contains the text; `nil` if the text is from the command line.
    private var variable: String?

    init(text: String) { self.text = text }

    /// Reads `SWIFT_IDENTITY_ACCOUNT`, which a person sets in a shell and `identity exec` sets for its program; `nil`
    /// if the variable is unset or empty.
    init?(variablesOf call: ToolCall) {
        guard let text = call.variables[Self.variable].nonEmpty else { return nil }
        (self.text, variable) = (text, Self.variable)
    }

    /// The option or variable that names the account, for messages.
    var source: String { variable ?? "--account" }

    /// The text as a search among accounts. Only complete names match, because a part of a deleted account's name could
    /// match another account.
    var choice: AccountChoice { AccountChoice(text: text, isWhole: true, variable: variable) }
}

extension ToolSession {
    /// Finds the account given for this session; `nil` if none is given, so that the active account acts.
    ///
    /// If the text is the identifier of a stored account, only this account's record is read. Otherwise all accounts are read.
    /// - Throws: ``AccountChoiceError`` when no account or more than one account matches, or the error of reading the store.
    func namedAccount() async throws -> AccountID? {
        guard let named else { return nil }
        let identifier = AccountID(id: named.text)
        if let identifier, try await client.summary(of: identifier) != nil { return identifier }
        let listing = try await client.accounts()
        do {
            return try named.choice.chosen(from: listing.accounts)
        } catch let error as AccountChoiceError where error.matches.isEmpty {
            // Accounts of programs, and accounts whose token comes from the configuration or the environment, have no stored
            // session, so they are not in the listing. Therefore accept an identifier whose provider never shows a sign-in.
            guard let identifier, client.isNoPerson(identifier) else {
                // An unreadable record may belong to the account, so its error is the reason to report.
                if let failure = listing.failures.first { throw failure }
                throw error
            }
            return identifier
        }
    }
}
