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

    /// The account that the option names, or else the environment variable; `nil` for the active one.
    func named(in call: ToolCall) -> NamedAccount? {
        account.map { NamedAccount(text: $0) } ?? NamedAccount(variablesOf: call)
    }
}

/// An account given on the command line or in a variable. No other account may act in its place.
struct NamedAccount: Sendable {
    static let variable = ProcessVariables.account

    let text: String
    /// The environment variable that names the account; `nil` for the command line.
    private var variable: String?

    init(text: String) { self.text = text }

    /// The account from the variable that a terminal or `exec` sets; `nil` if it is not set or empty.
    init?(variablesOf call: ToolCall) {
        guard let text = call.variables[Self.variable].nonEmpty else { return nil }
        (self.text, variable) = (text, Self.variable)
    }

    /// The option or variable that names the account, for messages.
    var source: String { variable ?? "--account" }

    /// Only whole names match: if the account is gone, a part of its name could match another one.
    var choice: AccountChoice { AccountChoice(text: text, isWhole: true, variable: variable) }
}

extension ToolSession {
    /// The account given for this session; `nil` if the active one acts.
    ///
    /// For an identifier, only the account's own record is read; a name needs all of them.
    /// - Throws: ``AccountChoiceError``, or the error of reading the store.
    func namedAccount() async throws -> AccountID? {
        guard let named else { return nil }
        let identifier = AccountID(id: named.text)
        if let identifier, try await client.summary(of: identifier) != nil { return identifier }
        let listing = try await client.accounts()
        do {
            return try named.choice.chosen(from: listing.accounts)
        } catch let error as AccountChoiceError where error.matches.isEmpty {
            // Accounts of given tokens and of workloads have no stored session; their provider confirms them.
            guard let identifier, client.isNoPerson(identifier) else {
                call.terminal.report(listing.failures)
                throw error
            }
            return identifier
        }
    }

    /// The account for which a command acts: the given one, or else the active one.
    /// - Throws: as ``namedAccount()`` and ``activeAccount()``.
    func actingAccount() async throws -> AccountID {
        if let account = try await namedAccount() { account } else { try await activeAccount() }
    }
}
