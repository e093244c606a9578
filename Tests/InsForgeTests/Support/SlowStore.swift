import Foundation
import IdentityKit

/// A store that can only be read asynchronously, like one whose key another process keeps.
struct SlowStore: TokenStore {
    let base: any TokenStore

    init(_ base: any TokenStore) { self.base = base }

    func record(for key: StoreKey) async throws -> StoreRecord? { try await base.record(for: key) }

    func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await base.records(in: collection)
    }

    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        try await base.write(content, for: key, replacing: generation)
    }

    func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await base.lease(for: key) }

    func changes() -> AsyncStream<StoreChange> { base.changes() }
}
