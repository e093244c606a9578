import Foundation
import IdentityKit

/// A store in which something happens after a record is read, or before one is written or a lease is taken, as when
/// another process is faster. It has no versions, as a store whose author left them out.
struct HookedStore: TokenStore {
    let base: any TokenStore
    var afterRead: @Sendable (StoreKey) async throws -> Void = { _ in }
    var beforeWrite: @Sendable (StoreKey) async throws -> Void = { _ in }
    var beforeLease: @Sendable () async throws -> Void = {}

    func record(for key: StoreKey) async throws -> StoreRecord? {
        let record = try await base.record(for: key)
        try await afterRead(key)
        return record
    }
    func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await base.records(in: collection)
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
