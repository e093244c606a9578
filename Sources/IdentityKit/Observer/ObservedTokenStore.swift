import Foundation

/// A wrapper that informs the observers of an environment about a store's conflicts, failures and quarantined records, and
/// passes on the events that the store itself collects (``EventfulTokenStore``). The `immediate` functions report nothing.
struct ObservedTokenStore: TokenStoreWrapper, ImmediateTokenStore {
    let wrapped: any TokenStore
    private let observers: IdentityObservers

    init(_ store: any TokenStore, _ observers: IdentityObservers) {
        wrapped = (store as? ObservedTokenStore)?.wrapped ?? store
        self.observers = observers
    }

    func record(for key: StoreKey) async throws -> StoreRecord? {
        try await observing(key) { try await wrapped.record(for: key) }
    }

    func records(for keys: [StoreKey]) async throws -> [StoreRecord] {
        guard let first = keys.first else { return [] }
        return try await observing(first) { try await wrapped.records(for: keys) }
    }

    func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await observing(StoreKey(collection, "")) { try await wrapped.records(in: collection) }
    }

    func page(of collection: StoreKey.Collection, after position: String?, limit: Int) async throws -> StoreListing {
        try await observing(StoreKey(collection, "")) {
            try await wrapped.page(of: collection, after: position, limit: limit)
        }
    }

    @discardableResult
    func write(_ content: Data?, for key: StoreKey, replacing generation: UInt64) async throws -> StoreRecord {
        try await observing(key) { try await wrapped.write(content, for: key, replacing: generation) }
    }

    func lease(for key: StoreKey) async throws -> (any StoreLease)? {
        try await observing(key) { try await wrapped.lease(for: key) }.map { Lease(base: $0, key: key, store: self) }
    }

    func quarantine(_ key: StoreKey) async throws {
        try await observing(key) { try await wrapped.quarantine(key) }
        observers.emit(.store(StoreEvent(.setAside, key)))
    }

    func immediateRecord(for key: StoreKey) throws -> StoreRecord?? {
        try (wrapped as? any ImmediateTokenStore)?.immediateRecord(for: key)
    }

    func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        try (wrapped as? any ImmediateTokenStore)?.immediateRecords(in: collection)
    }

    func immediateWrite(_ content: Data?, for key: StoreKey, replacing generation: UInt64) throws -> StoreRecord? {
        try (wrapped as? any ImmediateTokenStore)?.immediateWrite(content, for: key, replacing: generation)
    }

    private func observing<Result>(_ key: StoreKey, _ body: () async throws -> Result) async throws -> Result {
        defer {
            for event in wrapped.layer((any EventfulTokenStore).self)?.takeEvents() ?? [] {
                observers.emit(.store(event))
            }
        }
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch TokenStoreError.conflict(let key, let current) {
            observers.emit(.store(StoreEvent(.conflict, key)))
            throw TokenStoreError.conflict(key, current: current)
        } catch {
            observers.emit(.store(StoreEvent(.failed(error), key)))
            throw error
        }
    }

    private struct Lease: StoreLease {
        let base: any StoreLease
        let key: StoreKey
        let store: ObservedTokenStore

        func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
            try await store.observing(key) { try await base.write(content, replacing: generation) }
        }

        func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
            try await store.observing(key) { try await base.writeLast(content, replacing: generation) }
        }

        var endsAt: ContinuousClock.Instant? { base.endsAt }
        var isConfirmed: Bool { base.isConfirmed }
        var hasPredecessorEnded: Bool { base.hasPredecessorEnded }

        func release() async { await base.release() }
    }
}
