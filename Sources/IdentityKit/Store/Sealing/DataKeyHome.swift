/// Keeps the keys of encrypted stores outside of the stores, such as in the Keychain or in a file (``DataKey/home(inFile:)``).
public protocol DataKeyHome: Sendable {
    /// The name for error messages, such as `the desktop's keyring`.
    var name: String { get }

    /// The store's keys; empty only when there certainly is none. The first key encrypts every record that is written, and
    /// all of them decrypt. A store has several keys while its key is being replaced:
    ///
    /// 1. Append the new key to the key file or the environment variable, on every machine.
    /// 2. Put the new key first, on every machine.
    /// 3. Wait a minute, within which programs read a key file again. Restart programs whose keys are elsewhere, such as in
    ///    a variable. Then run `identity store rekey`, which encrypts all records with the new key.
    /// 4. Remove the old key, unless the command has reported failures.
    ///
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the home is locked, missing or does not respond, so that nobody
    ///   knows whether there is a key; `CancellationError` when the task is cancelled while it waits.
    func keys(forStore storeID: String) async throws -> [DataKey]

    /// Creates the store's key and keeps it in this home.
    /// - Returns: the key that the home keeps afterward, which another process may have created first.
    /// - Throws: ``/IdentityCore/TokenStoreError`` when the home cannot keep the key, an error with the code
    ///   `randomness_unavailable`, or `CancellationError`.
    func makeKey(forStore storeID: String) async throws -> DataKey
}

/// A home whose keys never leave the device, not even in a backup.
///
/// A store that is moved to another device starts empty there. With any other home, the store throws an error until the
/// missing key is restored.
package protocol DeviceBoundDataKeyHome: DataKeyHome {
    /// An identifier of this device.
    /// - Throws: as ``DataKeyHome/keys(forStore:)``.
    func deviceIdentifier() async throws -> String
}

/// A home that may respond as if it had no key while it is locked, as KeePassXC does.
protocol LockableDataKeyHome: DataKeyHome {}

extension DataKeyHome {
    func unavailable(_ detail: String) -> TokenStoreError { .keyUnavailable(home: name, detail: detail) }

    /// Decodes one key.
    /// - Parameters:
    ///   - text: the base64 form of the key.
    ///   - item: the kind of item that contains the text, such as `file`, for the error.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when `text` is not a key.
    func key(in text: String, of item: String) throws -> DataKey {
        guard let key = DataKey(text: Secret(text)) else { throw unavailable("the \(item) does not hold a key") }
        return key
    }

    /// Decodes keys that are separated by white space.
    /// - Parameters:
    ///   - text: the base64 forms of the keys.
    ///   - item: the kind of item that contains the text, such as `file`, for the error.
    /// - Throws: ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)`` when `text` is empty or contains anything
    ///   but keys.
    func keys(in text: String, of item: String) throws -> [DataKey] {
        guard let keys = DataKeys(text: Secret(text)) else { throw unavailable("the \(item) does not hold a key") }
        return keys.all
    }
}
