import Foundation
import IdentityKit

/// Keeps sessions in Apple's Keychain: on this device only, not in backups, readable after the first unlock.
public struct KeychainStorageAdapter: StorageAdapter {
    /// The size limit of a value, in UTF-8 bytes: 128 KiB. A value is a JSON text with the content of a record in Base64. The
    /// content of a session's record has at most 48 KiB, and Base64 makes it a third longer.
    public static let maximumSize = 2 * KeychainTokenStore.maximumSize

    private static let tag = Data("1".utf8)
    private let vault: KeychainVault
    private let service: String
    let place: StoragePlace

    package init(_ keychain: any Keychain, service: String, accessGroup: String? = nil) {
        vault = KeychainVault(keychain, service: service)
        self.service = service
        let names = [service, accessGroup ?? ""]
        place = StoragePlace(of: keychain, names: names) ?? StoragePlace(names: names)
    }

    /// Replaces the item that this adapter stored under `key`, or adds a new one. A reader never finds the item missing or
    /// half written.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/notWritable(path:detail:)`` for a
    ///   value of more than ``maximumSize`` bytes, and ``/IdentityCore/TokenStoreError/busy(path:)`` if the item of another
    ///   library has this name.
    public func store(key: String, value: String) throws {
        let item = KeychainItem(tag: Self.tag, value: Data(value.utf8))
        guard item.value.count <= Self.maximumSize else {
            throw TokenStoreError.notWritable(
                path: key,
                detail: "\(item.value.count) bytes are too many for the Keychain; \(Self.maximumSize) are not")
        }
        // Between the two calls, another process may add or remove the item, but hardly three times in a row.
        for _ in 0..<3 {
            if try vault.update(name(key), tagged: Self.tag, to: item) { return }
            if try vault.add(item, as: name(key)) { return }
        }
        throw TokenStoreError.busy(path: key)
    }

    /// Returns the item's text; `nil` if there certainly is no such item.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/locked(detail:)`` if the system
    ///   reports the item as missing before the first unlock after a restart. The item may exist then.
    public func retrieve(key: String) throws -> String? {
        try vault.item(name(key)).map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// Deletes the item, even if another library has stored it. Does nothing if there is no such item.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func delete(key: String) throws {
        // Deletion requires the item's tag. Read it, because items of other libraries do not have this adapter's tag.
        guard let item = try vault.item(name(key)) else { return }
        try vault.delete(name(key), tagged: item.tag)
    }

    /// Deletes every item of the service, including items that another library has stored under this service name.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func clear() throws {
        for (account, tag) in try vault.tags(ofService: service) {
            try vault.delete(name(account), tagged: tag)
        }
    }

    private func name(_ key: String) -> KeychainName { KeychainName(service: service, account: key) }
}

#if canImport(Security)
extension KeychainStorageAdapter {
    /// Creates an adapter for the Keychain items with one service name.
    /// - Parameters:
    ///   - service: the service name of the items.
    ///   - accessGroup: the Keychain access group in which an app and its extensions share the items; `nil` for the app's
    ///     own group.
    public init(service: String = "dev.thunderid.sdk", accessGroup: String? = nil) {
        self.init(SecurityKeychain(accessGroup: accessGroup), service: service, accessGroup: accessGroup)
    }
}
#endif
