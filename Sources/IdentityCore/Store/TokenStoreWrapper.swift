import Foundation

/// A store that adds something to another one, such as a count of its writes.
///
/// Each requirement of ``TokenStore`` forwards to ``wrapped``, so a wrapper implements only those that it changes. A
/// wrapper that changes contents has to implement every requirement that reads or writes contents, and those of its
/// leases.
public protocol TokenStoreWrapper: TokenStore {
    /// The store to which calls are forwarded.
    var wrapped: any TokenStore { get }
}

extension TokenStoreWrapper {
    /// Reads one record from ``wrapped``.
    /// - Throws: ``TokenStoreError``.
    public func record(for key: StoreKey) async throws -> StoreRecord? { try await wrapped.record(for: key) }

    /// Reads several records from ``wrapped``.
    /// - Throws: ``TokenStoreError``.
    public func records(for keys: [StoreKey]) async throws -> [StoreRecord] { try await wrapped.records(for: keys) }

    /// Reads a collection from ``wrapped``.
    /// - Throws: ``TokenStoreError``.
    public func records(in collection: StoreKey.Collection) async throws -> StoreListing {
        try await wrapped.records(in: collection)
    }

    /// Reads one page from ``wrapped``.
    /// - Throws: ``TokenStoreError``.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StorePage {
        try await wrapped.page(of: collection, after: position, limit: limit)
    }

    /// Writes to ``wrapped`` under the same generation.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await wrapped.write(content, for: key, replacing: generation)
    }

    /// Claims the lease in ``wrapped``, whose writes bypass this store.
    /// - Throws: ``TokenStoreError``.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await wrapped.lease(for: key) }

    /// Sets aside a damaged record of ``wrapped``.
    /// - Throws: ``TokenStoreError``.
    public func quarantine(_ key: StoreKey) async throws { try await wrapped.quarantine(key) }

    /// All changes of ``wrapped``.
    public func changes() -> AsyncStream<StoreChange> { wrapped.changes() }

    /// The changes of one collection of ``wrapped``.
    public func changes(in collection: StoreKey.Collection) -> AsyncStream<StoreChange> {
        wrapped.changes(in: collection)
    }

    /// The version counter of ``wrapped``.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { wrapped.marker(for: key) }

    /// The longest delay of ``wrapped``.
    public var longestDelay: Duration { wrapped.longestDelay }
}

extension TokenStore {
    /// Finds the outermost of this store and the stores that it wraps that is a `Layer`, such as `store.layer((any
    /// AuditedTokenStore).self)`.
    /// - Returns: `nil` when none of them is a `Layer`.
    package func layer<Layer>(_: Layer.Type) -> Layer? {
        self as? Layer ?? (self as? any TokenStoreWrapper)?.wrapped.layer(Layer.self)
    }
}
