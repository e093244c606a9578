/// Where the key of a sealed store is kept: somewhere better protected than the store itself, or at least elsewhere.
public protocol DataKeyHome: Sendable {
    /// For error texts, such as `the desktop's keyring`.
    var name: String { get }

    /// The store's key; `nil` only when there certainly is none.
    /// - Throws: ``TokenStoreError`` when that cannot be known: the home is locked, absent or does not answer.
    func key(forStore storeID: String) async throws -> DataKey?

    /// Makes the store's key and keeps it.
    /// - Returns: the key that is kept, which is another process's when that was faster.
    /// - Throws: ``TokenStoreError`` when it cannot be kept, ``RandomnessError``.
    func makeKey(forStore storeID: String) async throws -> DataKey
}
