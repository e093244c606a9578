import ArgumentParser
import IdentityKit

/// `identity whoami`: the active account.
struct WhoamiCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { AccountRow.self }

    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Print the active account.",
        discussion: """
            Reads the store and sends no request. The name comes from the last response of the backend.

            EXAMPLES
              identity whoami
              identity whoami --json | jq -r .account
              identity whoami --json | jq -r .expiresAt
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run(in call: ToolCall) async throws {
        let row = try await ToolSession.run(place, in: call) { session in
            let account = try await session.activeAccount()
            let lookup = try await session.client.lookUp()
            // Without a token that works, a person who needs to sign in is not signed in.
            if lookup.suspension != nil { _ = try await session.client.accessToken() }
            return AccountRow(
                account, try await session.client.summary(of: account), isActive: true, isConfigured: true,
                fallback: lookup.fallback)
        }
        try output.json ? call.terminal.json(row) : call.terminal.line(row.inWords)
    }
}
