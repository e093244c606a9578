#if canImport(Security)
import Foundation
import Security

#if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
import LocalAuthentication

/// Items of Apple's Keychain that the system unlocks only when the person is present (`SecAccessControl`).
struct PersonGuard: KeychainGuard {
    let keychain: SecurityKeychain
    let protection: KeyProtection
    /// Purpose of the access, which the system shows to the person.
    let reason: String

    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError) {
        try keychain.add(item, as: name, [kSecAttrAccessControl as String: try accessControl()])
    }

    func item(_ name: KeychainName) async throws -> KeychainItem {
        let control = try accessControl()
        // Ask before reading the item: reading it directly would block a thread until the person answers.
        let context = try await PresenceQuestion.ask {
            try await $0.evaluateAccessControl(control, operation: .useItem, localizedReason: reason)
        }
        return try keychain.item(name, [kSecUseAuthenticationContext as String: context])
    }

    /// Access control that requires a passcode on the device, and `protection` to read the item. The system deletes the item
    /// when the passcode is removed.
    private func accessControl() throws(KeychainError) -> SecAccessControl {
        let flags: SecAccessControlCreateFlags = protection == .biometry ? .biometryCurrentSet : .userPresence
        let control = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, flags, nil)
        guard let control else { throw .notAvailable }
        return control
    }
}

extension DataKey {
    /// A home in Apple's Keychain, on this device only and not in backups. Each store has an item of its own, which a person
    /// has to unlock.
    ///
    /// The person is asked when a process first reads the key, not when the key is created. A key that was created without
    /// protection is moved to a protected item. If the system has deleted the key, the store creates a new one and starts
    /// empty, so that people have to sign in again.
    /// - Parameters:
    ///   - protection: how the person unlocks the item; ``KeyProtection/none`` counts as ``KeyProtection/userPresence``.
    ///   - reason: the purpose, which the system shows to the person, such as "open your session".
    ///   - service: the item's service name, to which the protection is appended.
    ///   - accessGroup: shares the key between an app and its extensions; `nil` for the app's default group. An
    ///     extension without an interface cannot ask the person.
    public static func home(
        protection: KeyProtection, reason: String, service: String = "swift-identity.keys", accessGroup: String? = nil
    ) -> any DataKeyHome {
        let keychain = SecurityKeychain(accessGroup: accessGroup)
        return GuardedKey(
            keychain, guardian: PersonGuard(keychain: keychain, protection: protection, reason: reason),
            protection: protection, service: service)
    }
}
#endif

extension KeyProtection {
    /// The home of a key with this protection: ``KeychainKey`` for ``none``, otherwise ``GuardedKey``.
    /// - Throws: ``unsupported`` if the system cannot ask a person.
    func home(accessGroup: String?) throws -> any DataKeyHome {
        guard self != .none else { return KeychainKey(accessGroup: accessGroup) }
        #if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
        // An app can translate this sentence in its own string catalog.
        let reason = Bundle.main.localizedString(forKey: "Open your session", value: nil, table: nil)
        return DataKey.home(protection: self, reason: reason, accessGroup: accessGroup)
        #else
        throw Self.unsupported
        #endif
    }
}
#endif
