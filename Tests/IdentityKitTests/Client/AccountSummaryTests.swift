import Foundation
import IdentityKit
import IdentityTestKit
import Testing

@Suite struct AccountSummaryTests {
    private let store = MemoryTokenStore()
    private let ada = AccountID(account: "ada", realm: "work")
    private let bob = AccountID(account: "bob", realm: "work")

    @Test("One account is told of as in the list of all")
    func summaries() async throws {
        let provider = StoredAccountProvider(realm: "work", backend: "https://id", store: store)
        let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: store))
        let expiry = Date(timeIntervalSince1970: 4_000_000_000)
        let credential = Credential(
            accessToken: "a", refreshToken: "r", scopes: ["openid"], issuedAt: Date(timeIntervalSince1970: 0),
            expiresAt: expiry, signedInAt: Date(timeIntervalSince1970: 0), backend: "https://id")
        try await provider.sessions.begin(credential, for: ada)
        try await store.write(Data(#"{"endedBecause": "revoked"}"#.utf8), for: .account(bob), replacing: 0)

        guard case .live(let details) = try await client.summary(of: ada)?.session else {
            Issue.record("There is a session.")
            return
        }
        #expect(details.expiresAt == expiry && details.scopes == ["openid"] && details.canRenew)
        #expect(try await client.summary(of: bob)?.session == .ended(reason: "revoked"))
        #expect(try await client.accounts() == [client.summary(of: ada), client.summary(of: bob)])

        try await provider.signOut(ada)
        #expect(try await client.summary(of: ada) == nil)
        #expect(try await client.summary(of: AccountID(account: "eve", realm: "work")) == nil)
    }
}
