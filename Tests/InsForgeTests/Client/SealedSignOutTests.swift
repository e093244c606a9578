import Foundation
import IdentityKit
import IdentityTesting
import InsForge
import TestSupport
import Testing

/// A sign-out without the store's key.
@Suite struct SealedSignOutTests {
    @Test("The session ends all the same, unread")
    func withoutKey() async throws {
        let (base, folder) = (MemoryTokenStore(), try TemporaryFolder())
        let key = folder.file("keys/store.key")
        func store() -> SealedTokenStore { SealedTokenStore(base, storeID: "s", key: KeyFile(path: key.path)) }
        try await InsForgeFixture.run(store: store()) { fixture in
            _ = try await fixture.signedInClient()
            try FileManager.default.removeItem(at: key)
            let client = fixture.client(store: store())
            try await client.auth.signOut()
            let records = try await base.records(in: .accounts).records
            #expect(records.count == 1 && records.allSatisfy { $0.content == nil })
            #expect(client.auth.getSession() == nil)
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await client.auth.accessToken() }
        }
    }
}
