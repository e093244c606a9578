/// Some of a collection's records, as ``TokenStore/page(of:after:limit:)`` reads them.
public struct StorePage: Sendable, Equatable {
    /// The records of this page, and an error for each record that could not be read.
    public var listing: StoreListing
    /// The position to pass for the next page; `nil` on the last page. Only the store can interpret it.
    public var next: String?

    public init(listing: StoreListing = StoreListing(), next: String? = nil) {
        self.listing = listing
        self.next = next
    }
}

extension TokenStore {
    /// Reads all of ``records(in:)`` for each page, because a store need not be able to read single pages. Orders the
    /// records by the UTF-8 bytes of their names. The first page contains the failures of all records. A limit below
    /// one counts as one.
    /// - Throws: ``TokenStoreError``.
    public func page(
        of collection: StoreKey.Collection, after position: String?, limit: Int
    ) async throws -> StorePage {
        let whole = try await records(in: collection)
        let rest = whole.records
            .filter { record in position.map { $0.utf8.lexicographicallyPrecedes(record.key.name.utf8) } ?? true }
            .sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }
        let records = Array(rest.prefix(max(limit, 1)))
        return StorePage(
            listing: StoreListing(records: records, failures: position == nil ? whole.failures : []),
            next: rest.count > records.count ? records.last?.key.name : nil)
    }
}
