import Foundation
import IdentityKit
import IdentityTesting
import Testing

func openSealedStore() throws -> any TokenStore {
    // snippet: a-sealed-store
    let folder = URL(fileURLWithPath: "/var/lib/notes/identity", isDirectory: true)
    let files = try FileTokenStore(folder: folder, protection: .keyFile)
    let store = SealedTokenStore(
        files, storeID: files.identifier, key: KeyFile(path: "/run/secrets/notes.key"))
    // end snippet
    return store
}

/// The suite that the article runs over a store.
@Suite struct ChoosingAStore {
    // snippet: checking-a-store
    @Test("The store keeps its promises", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let store = MemoryTokenStore()
        try await check.run { store }
    }
    // end snippet
}
