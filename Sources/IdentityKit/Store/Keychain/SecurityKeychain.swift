#if canImport(Security)
import Foundation
import Security

/// Apple's Keychain: generic passwords that stay on this device and can be read once the device has been unlocked after
/// a restart.
package struct SecurityKeychain: Keychain {
    /// Access group that an app shares with its extensions. If it is `nil`, items are added to the first group in the
    /// app's entitlements, and searched for in all of these groups.
    private let accessGroup: String?
    /// Whether the items are in a Mac's login keychain, the default for libraries that select no keychain.
    private let isLoginKeychain: Bool

    package init(accessGroup: String?, isLoginKeychain: Bool = false) {
        self.accessGroup = accessGroup
        self.isLoginKeychain = isLoginKeychain
    }

    package func item(_ name: KeychainName) throws(KeychainError) -> KeychainItem { try item(name, [:]) }

    /// Reads an item with additional query attributes, such as an authentication context.
    func item(_ name: KeychainName, _ further: [String: Any]) throws(KeychainError) -> KeychainItem {
        var query = query(name).merging(further) { _, new in new }
        query[kSecReturnAttributes as String] = true
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        let found = try matches(query) as? [String: Any]
        guard let found, let value = found[kSecValueData as String] as? Data else { throw .decode }
        return KeychainItem(tag: Self.tag(found), value: value)
    }

    package func tags(ofService service: String) throws(KeychainError) -> [String: Data] {
        var query = query(service: service)
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        guard let found = try matches(query) as? [[String: Any]] else { throw .decode }
        let tags = found.compactMap { item in
            (item[kSecAttrAccount as String] as? String).map { ($0, Self.tag(item)) }
        }
        return Dictionary(tags) { first, _ in first }
    }

    package func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError) {
        try add(
            item, as: name, [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly])
    }

    func add(_ item: KeychainItem, as name: KeychainName, _ access: [String: Any]) throws(KeychainError) {
        let attributes = query(name).merging(Self.content(of: item)) { _, new in new }.merging(access) { _, new in new }
        try Self.check(SecItemAdd(attributes as CFDictionary, nil))
    }

    package func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(KeychainError) {
        var query = query(name)
        query[kSecAttrGeneric as String] = tag
        try Self.check(SecItemUpdate(query as CFDictionary, Self.content(of: item) as CFDictionary))
    }

    package func delete(_ name: KeychainName, tagged tag: Data) throws(KeychainError) {
        var query = query(name)
        // An empty tag stands for any tag, because items of other libraries do not have this attribute.
        if !tag.isEmpty { query[kSecAttrGeneric as String] = tag }
        try Self.check(SecItemDelete(query as CFDictionary))
    }

    private func matches(_ query: [String: Any]) throws(KeychainError) -> CFTypeRef? {
        var result: CFTypeRef?
        try Self.check(SecItemCopyMatching(query as CFDictionary, &result))
        return result
    }

    private func query(_ name: KeychainName) -> [String: Any] {
        var query = query(service: name.service)
        query[kSecAttrAccount as String] = name.account
        return query
    }

    private func query(service: String) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
        ]
        if !isLoginKeychain {
            query[kSecAttrSynchronizable as String] = false
            query[kSecUseDataProtectionKeychain as String] = true
        }
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    private static func content(of item: KeychainItem) -> [String: Any] {
        [kSecAttrGeneric as String: item.tag, kSecValueData as String: item.value]
    }

    private static func tag(_ attributes: [String: Any]) -> Data {
        attributes[kSecAttrGeneric as String] as? Data ?? Data()
    }

    private static func check(_ status: OSStatus) throws(KeychainError) {
        guard status == errSecSuccess else { throw KeychainError(status: status) }
    }
}

extension KeychainTokenStore {
    /// A store in the device's Keychain.
    /// - Parameters:
    ///   - service: identifies this store's items.
    ///   - accessGroup: shares the store between an app and its extensions, such as `ABCDE12345.com.example.shared`;
    ///     `nil` for the app's groups, which other apps may have as well.
    ///   - time: the clock for the checks for changes and for the deadlines of leases.
    convenience init(service: String, accessGroup: String?, time: TimeSource) {
        self.init(
            SecurityKeychain(accessGroup: accessGroup), service: service,
            signal: DarwinSignal(name: "\(accessGroup ?? "") \(service)"), lookingEvery: .seconds(10), time: time)
    }
}
#endif
