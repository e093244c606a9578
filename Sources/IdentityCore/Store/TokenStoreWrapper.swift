import Foundation

/// A store that adds something to another one, such as a count of its writes.
///
/// Each requirement of ``TokenStore`` passes to ``wrapped``, so a wrapper states only those that it changes. One that changes
/// contents has to state every requirement that reads or writes one, and those of its leases.
public protocol TokenStoreWrapper: TokenStore {
    /// The store to which everything passes.
    var wrapped: any TokenStore { get }
}

extension TokenStoreWrapper {
    /// Reads from the store below.
    /// - Throws: ``TokenStoreError``.
    public func record(for key: StoreKey) async throws -> StoreRecord? { try await wrapped.record(for: key) }

    /// Reads from the store below.
    /// - Throws: ``TokenStoreError``.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] { try await wrapped.records(for: keys) }

    /// Reads from the store below.
    /// - Throws: ``TokenStoreError``.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await wrapped.records(in: collection)
    }

    /// Reads from the store below.
    /// - Throws: ``TokenStoreError``.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StorePage {
        try await wrapped.page(of: collection, after: position, limit: limit)
    }

    /// Writes to the store below.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await wrapped.write(content, for: key, replacing: generation)
    }

    /// Claims the record in the store below.
    /// - Throws: ``TokenStoreError``.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await wrapped.lease(for: key) }

    /// Sets a damaged record of the store below aside.
    /// - Throws: ``TokenStoreError``.
    public func quarantine(_ key: StoreKey) async throws { try await wrapped.quarantine(key) }

    /// Listens to the store below.
    public func changes() -> AsyncStream<StoreChange> { wrapped.changes() }

    /// Listens to the store below.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> {
        wrapped.changes(in: collection)
    }

    /// Asks the store below.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { wrapped.marker(for: key) }

    /// The delay of the store below.
    public var longestDelay: Duration { wrapped.longestDelay }
}

extension TokenStore {
    /// The outermost of this store and those that it wraps that can do more: `store.layer((any AuditedTokenStore).self)`.
    /// - Returns: `nil` when none of them is a `Layer`.
    package func layer<Layer>(_: Layer.Type) -> Layer? {
        self as? Layer ?? (self as? any TokenStoreWrapper)?.wrapped.layer(Layer.self)
    }
}
