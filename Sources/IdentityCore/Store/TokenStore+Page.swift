extension TokenStore {
    /// Reads all of ``records(in:)`` for each page, because a store need not be able to read single pages. Orders the
    /// records by the UTF-8 bytes of their names. The first page contains the failures of all records. A limit below
    /// one counts as one.
    /// - Throws: ``TokenStoreError``.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StoreListing {
        let whole = try await records(in: collection)
        let rest = whole.records
            .filter { record in position.map { $0.utf8.lexicographicallyPrecedes(record.key.name.utf8) } ?? true }
            .sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }
        let records = Array(rest.prefix(max(limit, 1)))
        return StoreListing(
            records: records, failures: position == nil ? whole.failures : [],
            next: rest.count > records.count ? records.last?.key.name : nil)
    }
}
