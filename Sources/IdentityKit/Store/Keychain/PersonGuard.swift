#if canImport(Security)
import Foundation
import Security

#if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
import LocalAuthentication

/// Items of Apple's Keychain that the system opens only for a person who is there (`SecAccessControl`).
struct PersonGuard: KeychainGuard {
    let keychain: SecurityKeychain
    let protection: KeyProtection
    /// The purpose, in words for the person.
    let reason: String

    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError) {
        try keychain.add(item, as: name, [kSecAttrAccessControl as String: try accessControl()])
    }

    func item(_ name: KeychainName) async throws -> KeychainItem {
        let control = try accessControl()
        // First the question and then the item: reading it at once would block a thread until there is an answer.
        let context = try await PresenceQuestion.ask {
            try await $0.evaluateAccessControl(control, operation: .useItem, localizedReason: reason)
        }
        return try keychain.item(name, [kSecUseAuthenticationContext as String: context])
    }

    /// The item needs a passcode on the device, and goes when the passcode does.
    private func accessControl() throws(KeychainError) -> SecAccessControl {
        let flags: SecAccessControlCreateFlags = protection == .biometry ? .biometryCurrentSet : .userPresence
        let control = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, flags, nil)
        guard let control else { throw .notAvailable }
        return control
    }
}

extension GuardedKey {
    /// A Keychain item per store, which a person has to open.
    /// - Parameters:
    ///   - protection: who can open it.
    ///   - reason: the purpose, in words for the person, such as "open your session".
    ///   - service: the item's service name.
    ///   - accessGroup: shares the key between an app and its extensions. An extension that shows nothing cannot ask.
    public init(
        protection: KeyProtection, reason: String, service: String = "swift-identity.keys", accessGroup: String? = nil
    ) {
        let keychain = SecurityKeychain(accessGroup: accessGroup)
        self.init(
            keychain, guardian: PersonGuard(keychain: keychain, protection: protection, reason: reason),
            protection: protection, service: service)
    }
}
#endif

extension KeyProtection {
    /// The home of a key that is protected so.
    /// - Throws: ``unsupported`` where nobody can be asked.
    func home(accessGroup: String?) throws -> any DataKeyHome {
        guard self != .none else { return KeychainKey(accessGroup: accessGroup) }
        #if canImport(LocalAuthentication) && (os(iOS) || os(macOS) || os(visionOS))
        // An app translates it in its own string catalogue.
        let reason = Bundle.main.localizedString(forKey: "Open your session", value: nil, table: nil)
        return GuardedKey(protection: self, reason: reason, accessGroup: accessGroup)
        #else
        throw Self.unsupported
        #endif
    }
}
#endif
