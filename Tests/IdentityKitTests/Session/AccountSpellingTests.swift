import Foundation
import IdentityKit
import TestSupport
import Testing

/// Accounts whose identifiers are one text to a reader.
@Suite struct AccountSpellingTests {
    /// One letter in two Unicode normal forms.
    private static let spellings = ["jos\u{E9}", "jose\u{301}"]

    @Test("Each has a session of its own, in every kind of store", arguments: [false, true])
    func sessionsOfNormalForms(inFiles: Bool) async throws {
        let folder = try TemporaryFolder()
        let store: any TokenStore =
            inFiles
            ? try StoreConfiguration.file(folder: folder.file("store").path, key: .keyFile()).open()
            : MemoryTokenStore()
        let sessions = ProviderSessions(realm: "work", origin: .anyone(at: "b"), store: store, time: .system) { _ in
            throw CancellationError()
        }
        let accounts = Self.spellings.map { AccountID(account: $0, realm: "work") }
        for (account, token) in zip(accounts, ["composed", "decomposed"]) {
            try await sessions.begin(
                Credential(
                    accessToken: Secret(token), issuedAt: Date(), expiresAt: nil, signedInAt: Date(), backend: "b"),
                for: account)
        }
        #expect(try await sessions.accessToken(for: accounts[0], scopes: []) == "composed")
        #expect(try await sessions.accessToken(for: accounts[1], scopes: []) == "decomposed")
        let lease = try await store.lease(for: .account(accounts[0]))
        #expect(try await store.lease(for: .account(accounts[1])) != nil)
        await lease?.release()
        try await sessions.end(accounts[0])
        #expect(try await sessions.accessToken(for: accounts[1], scopes: []) == "decomposed")
        #expect(try await sessions.lookUp().account == accounts[1])
    }
}
