/// A place outside of an encrypted store where its key is kept.
public protocol DataKeyHome: Sendable {
    /// The name for error messages, such as `the desktop's keyring`.
    var name: String { get }

    /// Identifier of this device, if the home's keys never leave it, not even in a backup; `nil` if a missing key can
    /// be restored. A store that is moved to another device starts empty there if its key cannot follow, and otherwise
    /// waits for the key.
    /// - Throws: as ``key(forStore:)``.
    func deviceIdentifier() async throws -> String?

    /// The store's key; `nil` only when there certainly is none.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the home is locked, missing or does not respond, so that it is
    ///   unknown.
    func key(forStore storeID: String) async throws -> DataKey?

    /// The store's keys, of which the first one encrypts; `nil` only when there certainly is none. A home with a single
    /// key need not implement this method.
    /// - Throws: as ``key(forStore:)``.
    func keys(forStore storeID: String) async throws -> DataKeys?

    /// Creates the store's key and keeps it in this home.
    /// - Returns: the key that is kept now, which another process may have created first.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when it cannot be kept, ``/IdentityCore/RandomnessError``.
    func makeKey(forStore storeID: String) async throws -> DataKey
}

extension DataKeyHome {
    /// Returns `nil`: a missing key can be restored.
    /// - Throws: nothing.
    public func deviceIdentifier() async throws -> String? { nil }

    /// Returns the key of ``key(forStore:)`` as the only one.
    /// - Throws: as ``key(forStore:)``.
    public func keys(forStore storeID: String) async throws -> DataKeys? {
        try await key(forStore: storeID).map { DataKeys($0) }
    }

    func unavailable(_ detail: String) -> TokenStoreError { .keyUnavailable(home: name, detail: detail) }

    /// Decodes a key from the text of an item.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    func key(in text: String, of item: String) throws -> DataKey {
        guard let key = DataKey(text: Secret(text)) else { throw unavailable("the \(item) does not hold a key") }
        return key
    }

    /// Decodes keys from the text of an item.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    func keys(in text: String, of item: String) throws -> DataKeys {
        guard let keys = DataKeys(text: Secret(text)) else { throw unavailable("the \(item) does not hold a key") }
        return keys
    }
}
