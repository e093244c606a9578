#if canImport(Security)
import Foundation
import IdentityKit
import Security

/// Keeps sessions in Apple's Keychain: on this device only, not in backups, readable after the first unlock.
public struct KeychainStorageAdapter: StorageAdapter {
    private let service: String
    private let accessGroup: String?

    /// Items of one service.
    /// - Parameters:
    ///   - service: the items' service name.
    ///   - accessGroup: shares the items between an app and its extensions.
    public init(service: String = "dev.thunderid.sdk", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    /// Replaces the item, or adds it. It is never absent in between.
    /// - Throws: ``TokenStoreError``.
    public func store(key: String, value: String) throws {
        let content: [String: Any] = [
            kSecValueData as String: Data(value.utf8),
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(query(key) as CFDictionary, content as CFDictionary)
        if status == errSecItemNotFound {
            let item = query(key).merging(content) { $1 }
            status = SecItemAdd(item as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw failure(status) }
    }

    /// The item's text.
    /// - Throws: ``TokenStoreError``; ``TokenStoreError/locked(detail:)`` before the first unlock.
    public func retrieve(key: String) throws -> String? {
        var query = query(key)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = result as? Data else { throw failure(status) }
        return String(decoding: data, as: UTF8.self)
    }

    /// Deletes the item.
    /// - Throws: ``TokenStoreError``.
    public func delete(key: String) throws {
        try delete(query(key))
    }

    /// Deletes every item of the service.
    /// - Throws: ``TokenStoreError``.
    public func clear() throws {
        try delete(query(nil))
    }

    private func delete(_ query: [String: Any]) throws {
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw failure(status) }
    }

    private func query(_ key: String?) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let key { query[kSecAttrAccount as String] = key }
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    private func failure(_ status: OSStatus) -> TokenStoreError {
        if status == errSecInteractionNotAllowed { return .locked(detail: "The Keychain is not open yet.") }
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)"
        return .keyUnavailable(home: "the Keychain", detail: text)
    }
}
#endif
