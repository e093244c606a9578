/// Condition for reading the key of a store from Apple's Keychain. Only iOS, macOS and visionOS can require a person.
///
/// Only the key is protected, not each record: once a process has read the key, it can decrypt records until it ends.
public enum KeyProtection: String, Sendable, Hashable, Codable, CaseIterable {
    /// No person is needed: the app can read the key once the device was unlocked after a restart.
    case none
    /// Face ID, Touch ID or Optic ID has to recognize the person. When a face or a finger is added or removed, or the
    /// passcode is removed, the system deletes the key, and people have to sign in again.
    case biometry
    /// Face ID, Touch ID or Optic ID has to recognize the person, or the person has to enter the device's passcode. When the
    /// passcode is removed, the system deletes the key, and people have to sign in again.
    case userPresence
}

extension KeyProtection {
    /// Error for systems that cannot ask a person to unlock the key.
    static let unsupported = TokenStoreError.unsupported(
        detail:
            "\"protection\" needs a person at an iPhone, an iPad, a Mac or a Vision Pro. Leave it out, or choose another "
            + "home for the key")
}
