#if canImport(Security)
import Foundation
import Security

/// Keeps the key in Apple's Keychain: on this device only, not in backups, readable after the first unlock.
public struct KeychainKey: DataKeyHome {
    private let service: String
    private let accessGroup: String?

    /// A Keychain item per store.
    /// - Parameters:
    ///   - service: the item's service name.
    ///   - accessGroup: shares the key between an app and its extensions.
    public init(service: String = "swift-identity", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    /// `the Keychain`
    public var name: String { "the Keychain" }

    /// The stored key.
    /// - Throws: ``TokenStoreError/locked(detail:)`` before the first unlock, otherwise
    ///   ``TokenStoreError/keyUnavailable(home:detail:)``.
    public func key(forStore storeID: String) throws -> DataKey? {
        var query = query(storeID)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw failure(status) }
        guard let data = result as? Data, let key = DataKey(text: Secret(String(decoding: data, as: UTF8.self))) else {
            throw TokenStoreError.keyUnavailable(home: name, detail: "the item does not hold a key")
        }
        return key
    }

    /// Adds a new key, unless there is one already.
    public func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        var item = query(storeID)
        item[kSecValueData as String] = Data(key.text.reveal().utf8)
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(item as CFDictionary, nil)
        if status == errSecSuccess { return key }
        guard status == errSecDuplicateItem, let existing = try self.key(forStore: storeID) else {
            throw failure(status)
        }
        return existing
    }

    private func query(_ storeID: String) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: storeID,
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    private func failure(_ status: OSStatus) -> TokenStoreError {
        if status == errSecInteractionNotAllowed { return .locked(detail: "The Keychain is not open yet.") }
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)"
        return .keyUnavailable(home: name, detail: text)
    }
}
#endif
