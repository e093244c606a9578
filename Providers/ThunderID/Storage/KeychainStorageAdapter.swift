import Foundation
import IdentityKit

/// Keeps sessions in Apple's Keychain: on this device only, not in backups, readable after the first unlock.
public struct KeychainStorageAdapter: StorageAdapter {
    /// The largest value, in UTF-8 bytes. A record's text is a third longer than its content.
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

    /// Replaces or adds the item atomically.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func store(key: String, value: String) throws {
        let item = KeychainItem(tag: Self.tag, value: Data(value.utf8))
        guard item.value.count <= Self.maximumSize else {
            throw TokenStoreError.notWritable(
                path: key,
                detail: "\(item.value.count) bytes are too many for the Keychain; \(Self.maximumSize) are not")
        }
        // The item may be added or removed by another process between the two calls, but hardly three times.
        for _ in 0..<3 {
            if try vault.update(name(key), tagged: Self.tag, to: item) { return }
            if try vault.add(item, as: name(key)) { return }
        }
        throw TokenStoreError.busy(path: key)
    }

    /// The item's text.
    /// - Throws: ``/IdentityCore/TokenStoreError``; ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first
    ///   unlock, even if the system reports a missing item.
    public func retrieve(key: String) throws -> String? {
        try vault.item(name(key)).map { String(decoding: $0.value, as: UTF8.self) }
    }

    /// Deletes the item.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func delete(key: String) throws {
        // Read the tag first, because items written by other libraries have none.
        guard let item = try vault.item(name(key)) else { return }
        try vault.delete(name(key), tagged: item.tag)
    }

    /// Deletes every item of the service.
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
    /// Creates an adapter for the items of one service.
    /// - Parameters:
    ///   - service: the items' service name.
    ///   - accessGroup: the Keychain group by which an app and its extensions share the items.
    public init(service: String = "dev.thunderid.sdk", accessGroup: String? = nil) {
        self.init(SecurityKeychain(accessGroup: accessGroup), service: service, accessGroup: accessGroup)
    }
}
#endif
