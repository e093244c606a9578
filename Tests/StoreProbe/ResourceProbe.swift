import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuthProviders
import IdentityTesting

/// Signs in at a local OpenID Connect server, or asks for tokens for three resources, as one process among several.
struct ResourceProbe {
    let arguments: Arguments

    static let resources = (1...3).map { "https://api\($0).example.com" }

    /// Counts how often sessions are looked at.
    private struct CountingStore: TokenStoreWrapper {
        let wrapped: any TokenStore
        let looks = Locked(0)

        func record(for key: StoreKey) async throws -> StoreRecord? {
            count([key])
            return try await wrapped.record(for: key)
        }

        func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
            count(keys)
            return try await wrapped.records(for: keys)
        }

        private func count(_ keys: [StoreKey]) {
            if keys.contains(where: { $0.collection == .accounts }) { looks.withLock { $0 += 1 } }
        }
    }

    func run() async throws {
        let configuration = try IdentityConfiguration(
            parsing: Data(arguments.text("providers").utf8), variables: [:])
        let login = ScriptedLogin(
            username: try arguments.text("username"), password: Secret(try arguments.text("password")))
        let time = TimeSource.system(ahead: TimeInterval(arguments.number("shift", 0)))
        let store = CountingStore(wrapped: try arguments.store(time: time))
        let environment = IdentityEnvironment(
            store: store, webAuthenticator: ScriptedBrowser { try await login.signIn(at: $0) }, time: time)
        let client = try IdentityClient(
            configuration: configuration, registry: ProviderRegistry([OpenIDConnectPlugin.self]),
            environment: environment)
        let account = AccountID(account: try arguments.text("user"), realm: "work")
        let wishes = (0..<arguments.number("tasks", 1)).flatMap { _ in Self.resources }
        switch try arguments.text("do") {
        case "resource-tokens":
            await withTaskGroup(of: String.self) { group in
                for resource in wishes { group.addTask { await Self.token(resource, account, client) } }
                for await line in group { say(line) }
            }
        case "resource-tokens-in-turn":
            for resource in wishes { say(await Self.token(resource, account, client)) }
        default:
            try await client.signIn()
            return say("signed in")
        }
        say("looks \(store.looks.withLock { $0 })")
    }

    /// The line that tells what a caller gets.
    private static func token(_ resource: String, _ account: AccountID, _ client: IdentityClient) async -> String {
        do {
            return "token \(resource) \(try await client.accessToken(as: account, resource: resource))"
        } catch {
            return "failed \((error as? any IdentityFailure)?.failureCode ?? "\(error)")"
        }
    }
}
