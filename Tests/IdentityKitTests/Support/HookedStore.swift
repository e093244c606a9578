import Foundation
import IdentityKit

/// A store in which something happens before a record is written or a lease is taken, or after something is read, as when
/// another process is faster. It has no versions, as a store whose author left them out.
struct HookedStore: TokenStore {
    let base: any TokenStore
    var beforeWrite: @Sendable (StoreKey) async throws -> Void = { _ in }
    var beforeLease: @Sendable () async throws -> Void = {}
    var afterRead: @Sendable (StoreKey.Collection) async throws -> Void = { _ in }

    func record(for key: StoreKey) async throws -> StoreRecord? {
        let record = try await base.record(for: key)
        try await afterRead(key.collection)
        return record
    }
    func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        let listing = try await base.records(in: collection)
        try await afterRead(collection)
        return listing
    }
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        try await beforeWrite(key)
        return try await base.write(content, for: key, replacing: generation)
    }
    func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try await beforeLease()
        return try await base.lease(for: key)
    }
    func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        base.changes(in: collection)
    }
}
