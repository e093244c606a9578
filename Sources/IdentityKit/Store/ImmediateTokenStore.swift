import Foundation

/// A store that can be used without suspension, for synchronous interfaces: the first frame of an app, or a synchronous
/// method of an older library.
package protocol ImmediateTokenStore: TokenStore {
    /// Reads a record without waiting. The outer optional is `nil` when reading requires waiting. The inner optional is the
    /// result of ``/IdentityCore/TokenStore/record(for:)``, which is `nil` when there is no record.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func immediateRecord(for key: StoreKey) throws -> StoreRecord??

    /// All records of `collection`, as ``/IdentityCore/TokenStore/records(in:)`` returns them; `nil` when that requires
    /// waiting, such as for a keyring in another process.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing?

    /// Writes as ``/IdentityCore/TokenStore/write(_:for:replacing:)`` does. Returns `nil` and writes nothing when that
    /// requires waiting, such as for the key of a new store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func immediateWrite(_ content: Data?, for key: StoreKey, replacing generation: UInt64) throws -> StoreRecord?
}

extension MemoryTokenStore: ImmediateTokenStore {
    package func immediateRecord(for key: StoreKey) throws -> StoreRecord?? { currentRecord(for: key) }

    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        listing(of: collection)
    }

    package func immediateWrite(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) throws -> StoreRecord? {
        try replaceRecord(content, for: key, replacing: generation)
    }
}

extension FileTokenStore: ImmediateTokenStore {
    package func immediateRecord(for key: StoreKey) throws -> StoreRecord?? { .some(try reader.file(for: key)?.record) }

    package func immediateRecords(in collection: StoreKey.Collection) throws -> StoreListing? {
        try reader.listing(of: collection)
    }

    package func immediateWrite(
        _ content: Data?, for key: StoreKey, replacing generation: UInt64
    ) throws -> StoreRecord? {
        try writeAtOnce(content, for: key, replacing: generation)
    }
}

/// A place that keeps the key of an encrypted store and can be read without suspension, as an ``ImmediateTokenStore`` with
/// encrypted records requires.
protocol ImmediateDataKeyHome: DataKeyHome {
    func immediateKeys(forStore storeID: String) throws -> [DataKey]
}

extension KeyFile: ImmediateDataKeyHome {
    func immediateKeys(forStore storeID: String) throws -> [DataKey] { try keys(forStore: storeID) }
}

extension VariableKey: ImmediateDataKeyHome {
    func immediateKeys(forStore storeID: String) throws -> [DataKey] { try keys(forStore: storeID) }
}

extension KeychainKey: ImmediateDataKeyHome {
    func immediateKeys(forStore storeID: String) throws -> [DataKey] { try keys(forStore: storeID) }
}
