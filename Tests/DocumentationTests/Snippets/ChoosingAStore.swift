import Foundation
import IdentityKit
import IdentityTesting
import Testing

func openSealedStore() throws -> any TokenStore {
    // snippet: a-sealed-store
    let store = try StoreConfiguration.file(
        folder: "/var/lib/notes/identity", key: .keyFile(path: "/run/secrets/notes.key")
    ).open()
    // end snippet
    return store
}

// snippet: a-store-around-another
/// Tells of each write of another store.
struct ToldStore: TokenStoreWrapper {
    let wrapped: any TokenStore
    let tell: @Sendable (StoreKey) -> Void

    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        let record = try await wrapped.write(content, for: key, replacing: generation)
        tell(key)
        return record
    }
}
// end snippet

/// The suite that the article runs over a store.
@Suite struct ChoosingAStore {
    // snippet: checking-a-store
    @Test("The store keeps its promises", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let store = MemoryTokenStore()
        try await check.run { store }
    }
    // end snippet

    @Test("The store around another one keeps them too", arguments: TokenStoreConformance.checks)
    func wrapperConforms(check: TokenStoreConformance.Check) async throws {
        let store = ToldStore(wrapped: MemoryTokenStore()) { _ in }
        try await check.run { store }
    }
}
