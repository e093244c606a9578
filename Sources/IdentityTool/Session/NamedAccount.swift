import ArgumentParser
import IdentityKit
import IdentityStoreFormat

/// The option of commands that act for one account.
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

    /// The account that the option names, else the one of the variable; `nil` for the active one.
    func named(in call: ToolCall) -> NamedAccount? {
        account.map { NamedAccount(text: $0) } ?? NamedAccount(variablesOf: call)
    }
}

/// An account that a command line or a variable names, so that no other one acts.
struct NamedAccount: Sendable {
    static let variable = ProcessVariables.account

    let text: String
    /// The variable that names it; `nil` for the command line.
    private var variable: String?

    init(text: String) { self.text = text }

    /// The account of a terminal, or of what `exec` runs; `nil` where the variable is not set, or empty.
    init?(variablesOf call: ToolCall) {
        guard let text = call.variables[Self.variable].nonEmpty else { return nil }
        (self.text, variable) = (text, Self.variable)
    }

    /// The option or variable that names it.
    var source: String { variable ?? "--account" }

    /// A part of a name is not enough: where the account is gone, it may be a part of another one's.
    var choice: AccountChoice { AccountChoice(text: text, isWhole: true, variable: variable) }
}

extension ToolSession {
    /// The account that is named for this session; `nil` where the active one acts.
    ///
    /// An identifier needs the account's own record alone. Which account a name means depends on all of them.
    /// - Throws: ``AccountChoiceError``, or why the store cannot be read.
    func namedAccount() async throws -> AccountID? {
        guard let named else { return nil }
        let identifier = AccountID(id: named.text)
        if let identifier, try await client.summary(of: identifier) != nil { return identifier }
        let listing = try await client.accounts()
        do {
            return try named.choice.chosen(from: listing.accounts)
        } catch let error as AccountChoiceError where error.matches.isEmpty {
            // A given token and a workload need no session. Their provider knows whose they are.
            guard let identifier, client.isNoPerson(identifier) else {
                call.terminal.report(listing.failures)
                throw error
            }
            return identifier
        }
    }

    /// The account that a command acts for: the named one, or the active one.
    /// - Throws: as ``namedAccount()`` and ``activeAccount()``.
    func actingAccount() async throws -> AccountID {
        if let account = try await namedAccount() { account } else { try await activeAccount() }
    }
}
