import Foundation
import IdentityKit
import TestSupport
import Testing

/// The chosen account cannot be written down: looks still find somebody, and decisions of the user say that they failed.
@Suite struct ChainUnstoredChoiceTests {
    private let temporary: TemporaryFolder
    private let store: FileTokenStore

    init() throws {
        temporary = try TemporaryFolder()
        store = try FileTokenStore(folder: temporary.file("store"), protection: .allowUnencryptedStorage)
    }

    /// Makes writing the choice fail from now on: a folder takes the place of its lock.
    private func refuseChoices(_ fixture: ChainFixture) async throws {
        try await store.quarantine(.currentAccount(ofProfile: "default"))
        let locks = temporary.file("store/locks")
        for name in try FileManager.default.contentsOfDirectory(atPath: locks.path)
        where name.hasPrefix("current-accounts-") {
            try FileManager.default.removeItem(at: locks.appendingPathComponent(name))
            try FileManager.default.createDirectory(
                at: locks.appendingPathComponent(name), withIntermediateDirectories: false)
        }
    }

    private func look(_ chain: IdentityProviderChain) async throws -> AccountID? {
        try await chain.silentAccount(scopes: [], deviceToken: "d").account
    }

    @Test("Whoever is found is found by every look, and no change of the choice is told")
    func found() async throws {
        let fixture = ChainFixture([.absent(.neverSignedIn), .account("ada"), .account("ada")], store: store)
        try await refuseChoices(fixture)
        for _ in 0..<2 { #expect(try await look(fixture.chain()) == .ada("second")) }
        #expect(fixture.changes == [])
    }

    @Test("A stale choice, and one that its provider replaces, are passed by")
    func stale() async throws {
        let fixture = ChainFixture([.account("ada"), .absent(.signedOut), .absent(.neverSignedIn)], store: store)
        try await fixture.choose(.ada("second"))
        try await refuseChoices(fixture)
        #expect(try await look(fixture.chain()) == .ada("first"))
        fixture.providers[1].setSilent(.account("eve"))
        #expect(try await look(fixture.chain())?.account == "eve")
        #expect(try await fixture.selection() == .ada("second"))
        #expect(fixture.changes == [])
    }

    @Test("A decision of the user fails, and the choice before stays")
    func decisions() async throws {
        let fixture = ChainFixture([.account("ada"), .account("ada"), .absent(.neverSignedIn)], store: store)
        fixture.providers[2].setInteractive(.account("ada"))
        try await fixture.choose(.ada("second"))
        try await refuseChoices(fixture)
        let chain = try fixture.chain()
        for decide in [
            { try await chain.select(.ada("first"), scopes: [], deviceToken: "d") },
            { _ = try await chain.signIn(with: "third", scopes: [], deviceToken: "d") },
            { try await chain.signOut(.ada("second")) },
        ] {
            let error = await #expect(throws: TokenStoreError.self) { try await decide() }
            #expect(error?.failureCode == "store_not_writable")
        }
        #expect(try await fixture.selection() == .ada("second"))
    }
}
