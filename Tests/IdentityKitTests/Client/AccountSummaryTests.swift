import Foundation
import IdentityKit
import IdentityLocalServers
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
            expiresAt: expiry, signedInAt: Date(timeIntervalSince1970: 0), backend: "https://id",
            profile: AccountProfile(displayName: "Ada", email: "ada@example.com"))
        try await provider.sessions.begin(credential, for: ada)
        let revoked = #"{"endReason": "revoked", "signedInAt": 0, "backend": "b"}"#
        try await store.write(Data(revoked.utf8), for: .account(bob), replacing: 0)

        guard case .live(let details) = try await client.summary(of: ada)?.session else {
            Issue.record("There is a session.")
            return
        }
        #expect(try await client.summary(of: ada)?.profile == credential.profile && details.tokenType == "Bearer")
        #expect(details.expiresAt == expiry && details.scopes == ["openid"] && details.canRefresh)
        #expect(try await client.summary(of: bob)?.session == .ended(reason: "revoked"))
        #expect(try await client.accounts().accounts == [client.summary(of: ada), client.summary(of: bob)])

        // Without a name, and with one.
        #expect(try await client.summary(of: bob)?.profile == nil)
        let ended = """
            {"endReason": "It is over. Sign in again.", "signedInAt": 0, "backend": "b", "profile": {"username": "bob"}}
            """
        try await store.write(Data(ended.utf8), for: .account(bob), replacing: 1)
        #expect(try await client.summary(of: bob)?.profile == AccountProfile(username: "bob"))
        #expect(try await client.summary(of: bob)?.session == .ended(reason: "It is over."))

        // What a look would not find as signed in, a list does not show as signed in either.
        var expired = credential
        (expired.refreshToken, expired.expiresAt) = (nil, Date(timeIntervalSince1970: 1))
        try await provider.sessions.begin(expired, for: ada)
        let summary = try await client.summary(of: ada)
        #expect(summary?.session == .ended(reason: "It has expired and cannot be refreshed."))
        #expect(summary?.profile == credential.profile)

        try await provider.signOut(ada)
        #expect(try await client.summary(of: ada) == nil)
        #expect(try await client.summary(of: AccountID(account: "eve", realm: "work")) == nil)
    }

    @Test("Records that cannot be read are told of beside the accounts, in the list and in its pages")
    func unreadable() async throws {
        let provider = StoredAccountProvider(realm: "work", backend: "https://id", store: store)
        let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: store))
        let credential = Credential(
            accessToken: "a", issuedAt: Date(), expiresAt: nil, signedInAt: Date(), backend: "https://id")
        try await provider.sessions.begin(credential, for: ada)
        try await store.write(Data("no session".utf8), for: .account(bob), replacing: 0)
        let all = try await client.accounts()
        #expect(all.accounts.map(\.account) == [ada] && all.failures.map(\.failureCode) == ["store_corrupt"])
        #expect(try await client.accounts(limit: 5) == all)
        #expect(try await client.accounts(limit: 1).accounts == all.accounts)
        #expect(try await client.account() == ada)
    }

    private struct CountedProvider: SessionBackedProvider {
        let base: StoredAccountProvider
        let reads: Locked<Int>
        var sessions: ProviderSessions {
            reads.withLock { $0 += 1 }
            return base.sessions
        }

        func signIn(in context: CallerContext) async throws -> AccountID? { nil }
        func requestAuthorization(
            for accountID: AccountID, scopes: Set<String>, deviceToken: String
        ) async throws -> Data? { nil }
        func signOut(_ accountID: AccountID) async throws {}
    }

    @Test("A list asks the provider of each account alone", arguments: [false, true])
    func providers(areNested: Bool) async throws {
        let reads = Locked(0)
        let credential = Credential(
            accessToken: "a", issuedAt: Date(), expiresAt: nil, signedInAt: Date(), backend: "https://id")
        var links: [IdentityProviderChain.Link] = []
        for number in 0..<20 {
            let base = StoredAccountProvider(realm: "\(number)", backend: "https://id", store: store)
            try await base.sessions.begin(credential, for: AccountID(account: "ada", realm: "\(number)"))
            links.append(.init("\(number)", CountedProvider(base: base, reads: reads)))
        }
        let chain = try IdentityProviderChain(links)
        let client = IdentityClient(
            provider: areNested ? try IdentityProviderChain([.init("inner", chain)]) : chain,
            environment: IdentityEnvironment(store: store))
        let before = reads.withLock { $0 }
        #expect(try await client.accounts().accounts.count == 20)
        #expect(reads.withLock { $0 } - before == 20)
    }

    @Test("Pages of any size hold the same accounts as the list of all, without those that signed out")
    func pages() async throws {
        let provider = StoredAccountProvider(realm: "work", backend: "https://id", store: store)
        let client = IdentityClient(provider: provider, environment: IdentityEnvironment(store: store))
        #expect(try await client.accounts(limit: 5) == AccountListing())
        for number in 0..<10 {
            let account = AccountID(account: "\(number)", realm: "work")
            let credential = Credential(
                accessToken: "a", issuedAt: Date(), expiresAt: nil, signedInAt: Date(), backend: "https://id")
            try await provider.sessions.begin(credential, for: account)
            if number % 3 == 0 { try await provider.signOut(account) }
        }
        let all = try await client.accounts().accounts
        #expect(all.count == 6)
        for limit in [0, 1, 4, 6, 100] {
            var (found, position) = ([AccountSummary](), String?.none)
            repeat {
                let page = try await client.accounts(after: position, limit: limit)
                #expect(page.accounts.count <= max(limit, 1))
                found += page.accounts
                position = page.next
            } while position != nil
            #expect(found.sorted { $0.account < $1.account } == all)
        }
    }
}
