/// Conditions for reading the key of a store from Apple's Keychain. The system enforces them, on iOS, macOS and
/// visionOS.
///
/// Only the key is protected, not each record: once a process has read the key, it can decrypt records until it ends.
public enum KeyProtection: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app, after the device was first unlocked since its start.
    case none
    /// A person who is recognized by Face ID, Touch ID or Optic ID. When a face or a finger is added or removed, the system
    /// takes the key away, and people sign in again.
    case biometry
    /// A person who is recognized, or knows the device's passcode. When the passcode is removed, the system takes the key away.
    case userPresence
}

extension KeyProtection {
    /// Error for systems on which nobody can be asked.
    static let unsupported = TokenStoreError.unsupported(
        detail:
            "\"protection\" needs a person at an iPhone, an iPad, a Mac or a Vision Pro. Leave it out, or choose another "
            + "home for the key")
}
