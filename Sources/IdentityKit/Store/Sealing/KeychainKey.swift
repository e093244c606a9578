import Foundation

/// Keeps the key in Apple's Keychain, on this device only and not in backups. The key can be read once the device has been
/// unlocked after a restart.
package struct KeychainKey: DeviceBoundDataKeyHome {
    private let vault: KeychainVault
    private let service: String

    package init(_ keychain: any Keychain, service: String = "swift-identity.keys") {
        vault = KeychainVault(keychain, service: service)
        self.service = service
    }

    package var name: String { "the Keychain" }

    /// A random UUID that is kept in this device's Keychain and in no backup.
    /// - Throws: as `key(forStore:)`.
    package func deviceIdentifier() throws -> String {
        try reporting { () throws(TokenStoreError) in try vault.deviceIdentifier() }
    }

    /// Reads the key from the Keychain; `nil` when there certainly is none.
    /// - Throws: ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first unlock, even if the system reports
    ///   that there is no such item; ``/IdentityCore/TokenStoreError/full(path:)`` when the disk is full; otherwise
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    package func key(forStore storeID: String) throws -> DataKey? {
        let item = try reporting { () throws(TokenStoreError) in try vault.item(itemName(storeID)) }
        guard let item else { return nil }
        return try key(in: String(decoding: item.value, as: UTF8.self), of: "item")
    }

    /// The key that `key(forStore:)` returns, as the only element; empty when it returns `nil`.
    /// - Throws: as `key(forStore:)`.
    package func keys(forStore storeID: String) throws -> [DataKey] {
        try key(forStore: storeID).map { [$0] } ?? []
    }

    /// Adds a new key, unless there is one already.
    /// - Returns: the key in the Keychain.
    /// - Throws: as `key(forStore:)`, and `RandomnessError`.
    package func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        let isAdded = try reporting { () throws(TokenStoreError) in
            try vault.add(KeychainItem(key), as: itemName(storeID))
        }
        if isAdded { return key }
        guard let existing = try self.key(forStore: storeID) else {
            throw unavailable("another process has removed the item")
        }
        return existing
    }

    /// Removes the key, if there is one.
    /// - Throws: as `key(forStore:)`.
    func remove(forStore storeID: String) throws {
        try reporting { () throws(TokenStoreError) in try vault.delete(itemName(storeID), tagged: KeychainItem.keyTag) }
    }

    private func itemName(_ storeID: String) -> KeychainName { KeychainName(service: service, account: storeID) }
}

extension KeychainItem {
    /// Tag of every key's item. A constant suffices, because a key never changes.
    static let keyTag = Data("1".utf8)

    init(_ key: DataKey) {
        self.init(tag: Self.keyTag, value: Data(key.text.reveal().utf8))
    }
}

extension DataKeyHome {
    func reporting<Value>(_ body: () throws(TokenStoreError) -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            switch error {
            case .locked, .full: throw error
            case .unreadable(_, let detail), .notWritable(_, let detail), .corrupt(_, let detail):
                throw unavailable(detail)
            default: throw unavailable(error.message)
            }
        }
    }
}

#if canImport(Security)
extension KeychainKey {
    /// Creates a home for encryption keys in the Keychain, with one item for the key of each store.
    /// - Parameters:
    ///   - service: the item's service name.
    ///   - accessGroup: shares the key between an app and its extensions; `nil` for the app's default group.
    package init(service: String = "swift-identity.keys", accessGroup: String? = nil) {
        self.init(SecurityKeychain(accessGroup: accessGroup), service: service)
    }
}
#endif
