import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import ThunderID

/// The steps of the demo, in order. Each step checks what its title promises, and returns lines about the result. A
/// failed check throws an error.
enum DemoScript {
    struct Step: Sendable {
        let title: String
        let provider: String
        let perform: @Sendable (DemoStage) async throws -> [String]
    }

    static let steps = [
        Step(title: "Sign in natively, first with a wrong password", provider: "thunderid", perform: signInNatively),
        Step(title: "Call a protected API with the token", provider: "thunderid", perform: callThunderID),
        Step(title: "Refresh an expired token once for 50 tasks", provider: "thunderid", perform: refreshOnce),
        Step(title: "Sign in by redirect with PKCE", provider: "thunderid", perform: signInByRedirect),
        Step(title: "Restart from the store without signing in", provider: "thunderid", perform: restart),
        Step(title: "Switch the configuration to InsForge", provider: "insforge", perform: switchToInsForge),
        Step(title: "Sign out of ThunderID and fall back", provider: "chain", perform: fallBack),
        Step(title: "Stop the ThunderID server", provider: "chain", perform: stopThunderID),
        Step(title: "Sign out everywhere", provider: "chain", perform: signOutEverywhere),
    ]

    private static func signInNatively(_ stage: DemoStage) async throws -> [String] {
        let user = stage.thunderID.user
        let prompter = ScriptedPrompter(
            ["username": Secret(user.username), "password": "guess"],
            ["username": Secret(user.username), "password": user.password])
        try stage.configure(
            LocalServers.provider(for: stage.thunderID, method: .native), LocalServers.provider(for: stage.insForge))
        let account = try await stage.launch(prompter: prompter).signIn(scopes: ["openid"])
        guard prompter.prompts.count == 2, let problem = prompter.prompts[1].problem else {
            throw DemoError(description: "the wrong password was not refused")
        }
        return ["Wrong password: “\(problem)”", "Signed in as \(stage.name(of: account))."]
    }

    private static func callThunderID(_ stage: DemoStage) async throws -> [String] {
        try await [call(stage.thunderID.url.appendingPathComponent("api/resource"), with: stage.client)]
    }

    private static func refreshOnce(_ stage: DemoStage) async throws -> [String] {
        let client = try await stage.client
        let old = try await client.accessToken()
        stage.clock.advance(by: stage.thunderID.configuration.accessTokenLifetime)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.accessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        let refreshes = stage.thunderID.counters.refreshes
        guard tokens.count == 1, !tokens.contains(old), refreshes == 1 else {
            throw DemoError(description: "\(refreshes) refreshes gave \(tokens.count) tokens")
        }
        return ["An hour passes. 50 tasks ask at once: 1 refresh, and all 50 have the same new token."]
    }

    private static func signInByRedirect(_ stage: DemoStage) async throws -> [String] {
        let gate = ScriptedLogin(username: stage.thunderID.user.username, password: stage.thunderID.user.password)
        let codesBefore = stage.thunderID.counters.codesIssued
        try stage.configure(
            LocalServers.provider(for: stage.thunderID, method: .redirect), LocalServers.provider(for: stage.insForge))
        let client = try await stage.launch(browser: ScriptedBrowser { try await gate.signIn(at: $0) })
        let account = try await client.signIn(with: "thunderid", scopes: ["openid"])
        guard stage.thunderID.counters.codesIssued == codesBefore + 1 else {
            throw DemoError(description: "no authorization code was issued")
        }
        return [
            "The browser came back with a code; state, issuer and verifier fit.",
            "Signed in as \(stage.name(of: account)).",
        ]
    }

    private static func restart(_ stage: DemoStage) async throws -> [String] {
        let requestsBefore = stage.transport.requestCount
        let client = try await stage.launch()
        guard let account = try await client.account(scopes: ["openid"]) else {
            throw DemoError(description: "no account is signed in after the restart")
        }
        _ = try await client.accessToken(scopes: ["openid"])
        guard stage.transport.requestCount == requestsBefore else {
            throw DemoError(description: "the restart asked the server")
        }
        return ["A new client finds \(stage.name(of: account)) and a valid token in the store, without a request."]
    }

    private static func switchToInsForge(_ stage: DemoStage) async throws -> [String] {
        let user = stage.insForge.user
        let prompter = ScriptedPrompter(["email": Secret(user.email), "password": Secret(user.password)])
        let client = try await stage.client
        try stage.configure(LocalServers.provider(for: stage.insForge))
        client.use(try await stage.reload(prompter: prompter))
        let account = try await client.signIn()
        let result = try await call(stage.insForge.url.appendingPathComponent("api/demo/resource"), with: client)
        return [
            "The running client takes the new file.",
            "Signed in as \(stage.name(of: account)) with e-mail and password.", result,
        ]
    }

    private static func fallBack(_ stage: DemoStage) async throws -> [String] {
        let client = try await stage.client
        try stage.configure(
            LocalServers.provider(for: stage.thunderID, method: .native), LocalServers.provider(for: stage.insForge))
        let chain = try await stage.reload()
        client.use(chain)
        guard let first = try await stage.signedInAccounts().first(where: { $0.realm == "thunderid" }) else {
            throw DemoError(description: "the ThunderID session was lost with the configuration")
        }
        // The latest sign-in made the InsForge account active, so select the ThunderID account.
        try await client.select(first)
        try await client.signOut()
        guard let second = try await client.account(), second.realm == "insforge" else {
            throw DemoError(description: "the chain did not fall back")
        }
        let result = try await call(stage.insForge.url.appendingPathComponent("api/demo/resource"), with: client)
        let reasons = await chain.explain(scopes: [], deviceToken: "").map { attempt in
            "  \(attempt.description.replacingOccurrences(of: second.id, with: stage.name(of: second)))"
        }
        return ["Both are configured again. \(stage.name(of: first)) is chosen, then signed out.", "Asked in order:"]
            + reasons + [
                result
            ]
    }

    private static func stopThunderID(_ stage: DemoStage) async throws -> [String] {
        let client = try await stage.client
        client.use(try await stage.reload(prompter: ScriptedPrompter()))
        await stage.thunderID.stop()
        do {
            let account = try await client.signIn(with: "thunderid")
            throw DemoError(description: "\(account) signed in at a server that is gone")
        } catch let error as ChainError {
            guard error.failureClass == .transient else { throw error }
            _ = try await client.accessToken()
            return error.message.split(separator: "\n").map(String.init) + ["The InsForge session continues."]
        }
    }

    private static func signOutEverywhere(_ stage: DemoStage) async throws -> [String] {
        let client = try await stage.client
        let token = try await client.accessToken()
        for account in try await stage.signedInAccounts() { try await client.signOut(as: account) }
        let listing = try await stage.accountRecords()
        guard listing.failures.isEmpty, listing.records.allSatisfy({ $0.content == nil }) else {
            throw DemoError(description: "an account is left in the store")
        }
        guard try stage.storedBytes().range(of: Data(token.utf8)) == nil else {
            throw DemoError(description: "a token is left in the store")
        }
        guard try await client.account() == nil else { throw DemoError(description: "an account is still signed in") }
        return ["\(listing.records.count) accounts signed out. The store holds no secret any more."]
    }

    /// Calls an API that requires a user, and describes its response.
    /// - Throws: ``DemoError`` for a status other than 200 or a body without a message, or what the client throws.
    private static func call(_ url: URL, with client: IdentityClient) async throws -> String {
        let (data, response) = try await client.data(for: URLRequest(url: url))
        guard response.statusCode == 200, let message = try? JSONValue(parsing: data)["message"]?.stringValue else {
            throw DemoError(description: "\(url.path) returned \(response.statusCode)")
        }
        return "GET \(url.path) returned 200: “\(message)”"
    }
}
