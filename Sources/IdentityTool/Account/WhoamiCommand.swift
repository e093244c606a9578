import ArgumentParser
import IdentityKit

/// `identity whoami`: prints the account that acts, which is the given account or else the active one.
struct WhoamiCommand: ToolCommand, JSONResultCommand {
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type { AccountRow.self }

    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Print the account that acts: the active one, or the one that is named.",
        discussion: """
            Reads the store. A request is sent only for the token of a workload that another provider may stand in for, for a \
            suspended session, and for a sign-out that waits for its server. The name comes from the last response of the \
            backend. A workload without a token is told as configured.

            EXAMPLES
              identity whoami
              identity whoami --json | jq -r .account
              identity whoami --json | jq -r .expiresAt
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var acting: AccountOptions
    @OptionGroup var output: OutputOptions

    func run(in call: ToolCall) async throws {
        let row = try await ToolSession.run(place, as: acting.named(in: call), in: call) { session in
            if let named = try await session.namedAccount() { return try await session.row(ofNamed: named) }
            let account = try await session.activeAccount()
            let lookup = try await session.client.lookUp()
            // A suspended session needs a sign-in. Throw its error, unless the account still gets a token.
            if lookup.suspension != nil { _ = try await session.client.accessToken() }
            return AccountRow(
                account, try await session.client.summary(of: account), isActive: true, isConfigured: true,
                lacksToken: session.client.isOnlyConfigured(account), fallback: lookup.fallback,
                unusedTokens: session.unusedTokens(besides: account))
        }
        guard !output.json else { return try call.terminal.json(row) }
        for token in row.unusedTokens ?? [] {
            call.terminal.note("identity: \(token.inWords(besides: row.profile?.inWords ?? row.account))")
        }
        try call.terminal.line(row.inWords + (row.isWithoutToken ? "  \(row.stateInWords)" : ""))
    }
}

extension ToolSession {
    /// Returns the row of the account that an option or environment variable names.
    /// - Throws: the error of requesting a token if the account cannot act. No other account takes its place.
    fileprivate func row(ofNamed account: AccountID) async throws -> AccountRow {
        let (summary, lacksToken) = (try await client.summary(of: account), client.isOnlyConfigured(account))
        let isUsable = client.serves(account) && (summary?.isLive ?? lacksToken)
        if !isUsable { _ = try await client.accessToken(as: account) }
        return AccountRow(
            account, summary, isActive: (try? await client.account()) == account, isConfigured: true,
            lacksToken: lacksToken)
    }
}
