import Foundation
import IdentityCore
import Testing

/// The rules of a chain are tested with IdentityKit's sessions; here is that it needs no other module.
@Suite struct ProviderChainTests {
    private struct Provider: IdentityProvider {
        let account: AccountID?
        let mayShowSignIn = false

        func activeAccount(scopes: Set<String>, deviceToken: String) async throws -> AccountID? { account }

        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }

        func accessToken(for accountID: AccountID, scopes: Set<String>) async throws -> String {
            "token of \(accountID)"
        }
    }

    @Test("The next provider answers where one has no account, and stays the chosen one of the store")
    func fallback() async throws {
        let store = MemoryTokenStore()
        let (ada, eve) = (AccountID(account: "ada", realm: "home"), AccountID(account: "eve", realm: "work"))
        func chain(_ first: AccountID?) throws -> IdentityProviderChain {
            try IdentityProviderChain(
                [.init("work", Provider(account: first)), .init("home", Provider(account: ada))],
                store: store)
        }
        #expect(try await chain(nil).activeAccount(scopes: [], deviceToken: "d") == ada)
        let later = try chain(eve)
        #expect(try await later.activeAccount(scopes: [], deviceToken: "d") == ada)
        #expect(try await later.accessToken(for: ada, scopes: []) == "token of home/ada")
        try await later.signOut(ada)
        #expect(try await later.activeAccount(scopes: [], deviceToken: "d") == eve)
    }
}
