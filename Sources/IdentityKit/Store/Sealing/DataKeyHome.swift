/// A place outside a sealed store that keeps its key.
public protocol DataKeyHome: Sendable {
    /// The name in error texts, such as `the desktop's keyring`.
    var name: String { get }

    /// Identifies this device, where keys never leave it, not even in a backup; `nil` where somebody can restore them. A store
    /// that comes to another device without its key starts anew there, and otherwise it waits for its key.
    /// - Throws: as ``key(forStore:)``.
    func deviceIdentifier() async throws -> String?

    /// The store's key; `nil` only when there certainly is none.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when that is unknown: the home is locked, absent or does not respond.
    func key(forStore storeID: String) async throws -> DataKey?

    /// The store's keys, of which the first one seals; `nil` only when there certainly is none. A home that keeps one key
    /// needs no more than ``key(forStore:)``.
    /// - Throws: as ``key(forStore:)``.
    func keys(forStore storeID: String) async throws -> DataKeys?

    /// Makes the store's key and keeps it.
    /// - Returns: the kept key, which is that of another process when that came first.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when it cannot be kept, ``/IdentityCore/RandomnessError``.
    func makeKey(forStore storeID: String) async throws -> DataKey
}

extension DataKeyHome {
    /// `nil`: a missing key can be restored.
    /// - Throws: nothing.
    public func deviceIdentifier() async throws -> String? { nil }

    /// The one key.
    /// - Throws: as ``key(forStore:)``.
    public func keys(forStore storeID: String) async throws -> DataKeys? {
        try await key(forStore: storeID).map { DataKeys($0) }
    }

    func unavailable(_ detail: String) -> TokenStoreError { .keyUnavailable(home: name, detail: detail) }

    /// The key in the text of an item.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    func key(in text: String, of item: String) throws -> DataKey {
        guard let key = DataKey(text: Secret(text)) else { throw unavailable("the \(item) does not hold a key") }
        return key
    }

    /// The keys in the text of an item.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    func keys(in text: String, of item: String) throws -> DataKeys {
        guard let keys = DataKeys(text: Secret(text)) else { throw unavailable("the \(item) does not hold a key") }
        return keys
    }
}
