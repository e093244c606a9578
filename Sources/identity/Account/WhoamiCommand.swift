import ArgumentParser
import Foundation
import IdentityKit
import TerminalPresenters

/// `identity whoami`: the active account.
struct WhoamiCommand: AsyncParsableCommand, JSONResultCommand {
    static func result(for words: [String]) -> any Decodable.Type { AccountRow.self }

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

    func run() async throws {
        let row = try await ToolSession.run(place) { session in
            let account = try await session.activeAccount()
            let fallback = try await session.client.lookUp().fallback
            return AccountRow(
                account, try await session.client.summary(of: account), isActive: true, isConfigured: true,
                fallback: fallback)
        }
        try output.json ? Terminal().json(row) : Terminal().line(row.inWords)
    }
}

/// `identity accounts`: every account of the store.
struct AccountsCommand: AsyncParsableCommand, JSONResultCommand {
    static func result(for words: [String]) -> any Decodable.Type { [AccountRow].self }

    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts that have a session here.",
        discussion: """
            A star marks the active one. A session that its backend ended is listed until the next sign-in. A session of
            another client, backend or provider type than is configured is kept for its own configuration, and so is one whose
            provider is not in the configuration.

            EXAMPLES
              identity accounts
              identity accounts --limit 20
              identity accounts --json | jq -r '.[].account'
            """)

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(
        help: ArgumentHelp(
            "List this many accounts at most.",
            discussion: "They come in an order of the store's own, and no other account is read.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is 1 at least.") }
    }

    func run() async throws {
        let terminal = Terminal()
        let rows = try await ToolSession.run(place) { [limit] session in
            let active = try await session.client.account()
            let accounts =
                if let limit {
                    try await session.client.accounts(limit: limit).accounts
                } else {
                    try await session.client.accounts()
                }
            return accounts.map { summary in
                AccountRow(
                    summary.account, summary, isActive: summary.account == active,
                    isConfigured: session.client.answers(for: summary.account))
            }
        }
        if output.json { return try terminal.json(rows) }
        for row in rows {
            try terminal.line("\(row.active ? "*" : " ") \(row.inWords)  \(terminal.styled(row.stateInWords, .faint))")
        }
        if rows.isEmpty { terminal.note("No account is signed in. Sign in with: identity login") }
    }
}

/// A row of the output.
struct AccountRow: Codable, Sendable {
    let account: String
    let provider: String
    let profile: AccountProfile?
    let active: Bool
    /// Whether the configuration has its provider.
    let configured: Bool
    let state: String
    let reason: String?
    let backend: String?
    let clientID: String?
    let scopes: [String]?
    let signedInAt: Date?
    let expiresAt: Date?
    let refreshable: Bool?
    /// The account that it replaces.
    let fallback: SessionFallback?

    private enum CodingKeys: CodingKey {
        case account, provider, profile, active, configured, state, reason, backend, clientID, scopes, signedInAt,
            expiresAt
        case refreshable, fallback
    }

    /// - Parameter summary: `nil` for an account without a stored session, such as that of a given token.
    init(
        _ account: AccountID, _ summary: AccountSummary?, isActive: Bool, isConfigured: Bool,
        fallback: SessionFallback? = nil
    ) {
        self.fallback = fallback
        self.account = account.id
        provider = account.realm
        profile = summary?.profile
        active = isActive
        configured = isConfigured
        var details: AccountSummary.Details?
        switch summary?.session {
        case .live(let live)?: (state, reason, details) = ("signed-in", nil, live)
        case .ended(let why)?: (state, reason) = ("ended", why)
        case .kept(let kept, let why)?: (state, reason, details) = ("kept", why, kept)
        case nil: (state, reason) = ("given", nil)
        }
        backend = details?.backend
        clientID = details?.clientID
        scopes = details.map { $0.scopes.sorted() }
        signedInAt = details?.signedInAt
        expiresAt = details?.expiresAt
        refreshable = details?.canRefresh
    }

    var inWords: String { AccountID(id: account)?.inWords(profile) ?? account }

    var stateInWords: String {
        guard configured else { return "\(state): no provider \(provider) is configured" }
        if let reason { return "\(state): \(reason)" }
        guard let backend else { return state }
        return "at \(backend)"
    }
}
