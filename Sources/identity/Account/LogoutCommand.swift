#if Tools
import ArgumentParser
import IdentityKit

/// `identity logout`: ends sessions.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Sign out.",
        discussion: """
            The session is over here at once, also without a network, and at the backend where that is possible.

            EXAMPLES
              identity logout
              identity logout work/0190f6a2
              identity logout --all
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The account, or a part of it that only one has. By default the active one.")
    var account: String?

    @Flag(help: "Sign every account out.")
    var all = false

    func validate() throws {
        if all, account != nil { throw ValidationError("Name an account or give --all, not both.") }
    }

    func run() async throws {
        let terminal = Terminal()
        let accounts = try await ToolSession.run(place) { [self] session in
            let accounts = try await leaving(session)
            for account in accounts {
                try await session.client.signOut(account)
                if !output.json { terminal.note("Signed out \(account).") }
            }
            return accounts
        }
        if output.json { try terminal.json(["signedOut": accounts.map(\.id)]) }
    }

    private func leaving(_ session: ToolSession) async throws -> [AccountID] {
        let known = try await session.client.accounts().map(\.account)
        // An account of a provider that is not configured any more is not ours to end.
        if all { return known.filter { session.client.answers(for: $0) } }
        if let account { return [try AccountChoice(account).chosen(from: known)] }
        return [try await session.activeAccount()]
    }
}
#endif
