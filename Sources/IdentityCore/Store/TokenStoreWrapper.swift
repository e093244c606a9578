import Foundation

/// A store that forwards calls to another store and adds a behavior, such as counting the writes.
///
/// Each requirement of ``TokenStore`` forwards to ``wrapped``, so a wrapper implements only the requirements that it
/// changes. A wrapper that changes contents has to implement every requirement that reads or writes contents. It also
/// has to wrap the leases, because they write contents too.
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
    ) async throws -> StoreListing {
        try await wrapped.page(of: collection, after: position, limit: limit)
    }

    /// Writes to ``wrapped``, which compares the generation.
    /// - Throws: ``TokenStoreError``.
    @discardableResult
    public func write(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) async throws -> StoreRecord {
        try await wrapped.write(content, for: key, replacing: generation)
    }

    /// Claims a lease of ``wrapped``. Writes through the lease bypass this wrapper.
    /// - Throws: ``TokenStoreError``.
    public func lease(for key: StoreKey) async throws -> (any StoreLease)? { try await wrapped.lease(for: key) }

    /// Moves a damaged record of ``wrapped`` to the quarantine.
    /// - Throws: ``TokenStoreError``.
    public func quarantine(_ key: StoreKey) async throws { try await wrapped.quarantine(key) }

    /// Returns the changes of ``wrapped`` from now on: those of one collection, or with `nil` those of all collections.
    public func changes(in collection: StoreKey.Collection?) -> AsyncStream<StoreChange> {
        wrapped.changes(in: collection)
    }

    /// Returns the version counter of the record in ``wrapped``; `nil` when `wrapped` has none.
    public func marker(for key: StoreKey) -> (any StoreVersion)? { wrapped.marker(for: key) }

    /// The longest time until ``wrapped`` shows a write of another machine. A wrapper adds no delay.
    public var longestDelay: Duration { wrapped.longestDelay }
}

extension TokenStore {
    /// Returns this store if it is a `Layer`, or otherwise the first `Layer` among the stores that it wraps, from
    /// outside to inside. For example, `store.layer((any AuditedTokenStore).self)` finds a store with an audit trail.
    /// - Returns: the store; `nil` when none of them is a `Layer`.
    package func layer<Layer>(_: Layer.Type) -> Layer? {
        self as? Layer ?? (self as? any TokenStoreWrapper)?.wrapped.layer(Layer.self)
    }
}
