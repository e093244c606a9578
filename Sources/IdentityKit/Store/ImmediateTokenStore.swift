/// A store that can say what it holds without suspending anybody, for an interface that has to answer at once: the first
/// frame of an app, a synchronous method of an older library.
package protocol ImmediateTokenStore: TokenStore {
    /// Every record of `collection`, as ``TokenStore/records(in:)`` gives them; `nil` when that takes waiting, such as
    /// for a keyring that is another process.
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

/// A home whose key can be had without suspending anybody.
protocol ImmediateDataKeyHome: DataKeyHome {
    /// ``DataKeyHome/key(forStore:)``, at once.
    func immediateKey(forStore storeID: String) throws -> DataKey?
}

extension KeyFile: ImmediateDataKeyHome {
    func immediateKey(forStore storeID: String) throws -> DataKey? { try key(forStore: storeID) }
}

extension KeychainKey: ImmediateDataKeyHome {
    func immediateKey(forStore storeID: String) throws -> DataKey? { try key(forStore: storeID) }
}
