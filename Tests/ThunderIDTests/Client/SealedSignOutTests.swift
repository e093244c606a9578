import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing
import ThunderID

/// A sign-out without the store's key.
@Suite struct SealedSignOutTests {
    @Test("The session ends all the same, unread, with a name or without", arguments: [nil, "second"])
    func withoutKey(sessionID: String?) async throws {
        let (base, folder) = (MemoryTokenStore(), try TemporaryFolder())
        let key = folder.file("keys/store.key")
        let fixture = try await ClientFixture()
        func client() async throws -> ThunderIDClient {
            let store = SealedTokenStore(base, storeID: "s", key: KeyFile(path: key.path))
            let client = ThunderIDClient(
                environment: IdentityEnvironment(store: store, transport: fixture.wire, time: fixture.clock.dates))
            try await client.initialize(config: fixture.config())
            return client
        }
        try await fixture.signIn(try await client(), sessionId: sessionID)
        try FileManager.default.removeItem(at: key)
        let lost = try await client()
        try await lost.signOut(sessionId: sessionID)
        let records = try await base.records(in: .accounts).records
        #expect(records.allSatisfy { $0.content == nil }, "\(records.map { ($0.key.name, $0.content?.count ?? 0) })")
        #expect(fixture.wire.requests(to: "/oauth2/revoke").isEmpty)
        #expect(try await lost.isSignedIn(sessionId: sessionID) == false)
        await fixture.server.stop()
    }
}
