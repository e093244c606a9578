/// A store that can be read without suspension, for synchronous interfaces: the first frame of an app, or a synchronous
/// method of an older library.
package protocol ImmediateTokenStore: TokenStore {
    /// Every record of `collection`, as ``TokenStore/records(in:)`` returns them; `nil` when that takes waiting, such as
    /// for a keyring in another process.
    /// - Throws: ``TokenStoreError``.
    func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing?
}

extension MemoryTokenStore: ImmediateTokenStore {
    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        listing(of: collection)
    }
}

extension FileTokenStore: ImmediateTokenStore {
    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        try reader.listing(of: collection)
    }
}

/// A home whose key can be read without suspension.
protocol ImmediateDataKeyHome: DataKeyHome {
    func key(forStore storeID: String) throws -> DataKey?
}

extension KeyFile: ImmediateDataKeyHome {}

extension KeychainKey: ImmediateDataKeyHome {}
