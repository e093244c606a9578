import Foundation

/// Keeps the key in Apple's Keychain, on this device only and not in backups. A person has to unlock the key.
///
/// The person is asked when a process first reads the key, not when the key is created. A key that was created without
/// protection is moved to a protected item. If the system has deleted the key, the store creates a new one and starts
/// empty, so that people have to sign in again.
package struct GuardedKey: DeviceBoundDataKeyHome {
    private let keychain: any Keychain
    private let vault: KeychainVault
    private let guardian: any KeychainGuard
    private let service: String
    private let unguardedService: String

    package init(
        _ keychain: any Keychain, guardian: any KeychainGuard, protection: KeyProtection,
        service: String = "swift-identity.keys"
    ) {
        self.keychain = keychain
        self.guardian = guardian
        vault = KeychainVault(keychain, service: service)
        unguardedService = service
        self.service = "\(service).\(protection.rawValue)"
    }

    package var name: String { "the Keychain" }

    /// A random UUID that is kept in this device's Keychain and in no backup.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func deviceIdentifier() throws -> String { try unguarded.deviceIdentifier() }

    /// The stored key, after the person has unlocked it; `nil` when there is none or the system has deleted it. For a key
    /// that was created without protection, the person is not asked yet.
    /// - Throws: ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first unlock of the device and when the
    ///   person does not unlock the key, `CancellationError` when the task is cancelled,
    ///   ``/IdentityCore/TokenStoreError/full(path:)`` when a key cannot be moved for lack of space, otherwise
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    package func key(forStore storeID: String) async throws -> DataKey? {
        let name = KeychainName(service: service, account: storeID)
        let tags = try reporting { () throws(TokenStoreError) in try vault.tags(ofService: service) }
        guard let tag = tags[storeID] else { return try move(to: name) }
        guard let item = try await open(name) else {
            // Remove the remains of the deleted item, which would prevent adding a new one.
            try reporting { () throws(TokenStoreError) in try vault.delete(name, tagged: tag) }
            return nil
        }
        // Remove the unprotected key, which a process leaves behind when it ends while moving the key.
        try unguarded.remove(forStore: storeID)
        return try key(in: String(decoding: item.value, as: UTF8.self), of: "item")
    }

    /// The key that `key(forStore:)` returns, as the only element; empty when it returns `nil`.
    /// - Throws: as `key(forStore:)`.
    package func keys(forStore storeID: String) async throws -> [DataKey] {
        try await key(forStore: storeID).map { [$0] } ?? []
    }

    /// Adds a new key without asking the person. If there is a key already, the person is asked, and that key is returned.
    /// - Throws: as ``key(forStore:)``, and an error with the code `randomness_unavailable`.
    package func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        if try add(key, as: KeychainName(service: service, account: storeID)) { return key }
        guard let existing = try await self.key(forStore: storeID) else {
            throw unavailable("another process has removed the item")
        }
        return existing
    }

    private var unguarded: KeychainKey { KeychainKey(keychain, service: unguardedService) }

    /// Moves an unprotected key to a protected item. The protected copy is added before the original is removed.
    /// - Returns: the key; `nil` when there is no unprotected key.
    private func move(to name: KeychainName) throws -> DataKey? {
        guard let key = try unguarded.key(forStore: name.account) else { return nil }
        _ = try add(key, as: name)
        try unguarded.remove(forStore: name.account)
        return key
    }

    /// Adds a key to the Keychain.
    /// - Returns: `false` when there is a key already, which is not changed.
    private func add(_ key: DataKey, as name: KeychainName) throws -> Bool {
        do throws(KeychainError) {
            try guardian.add(KeychainItem(key), as: name)
            return true
        } catch .duplicateItem {
            return false
        } catch {
            let failure = error.storeError(at: name.account, isWrite: true)
            return try reporting { () throws(TokenStoreError) -> Bool in throw failure }
        }
    }

    /// Reads the item after asking the person; `nil` when the system has deleted it.
    private func open(_ name: KeychainName) async throws -> KeychainItem? {
        do {
            return try await guardian.item(name)
        } catch let error as KeychainError {
            if error == .itemNotFound { return nil }
            let failure = error.storeError(at: name.account, isWrite: false)
            return try reporting { () throws(TokenStoreError) -> KeychainItem? in throw failure }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw TokenStoreError.unconfirmed(error)
        }
    }
}

extension GuardedKey: RevocableDataKeyHome {}

/// A home whose keys the system may delete, such as when a fingerprint is added. A store whose key was deleted starts
/// empty, because nobody can restore the key.
package protocol RevocableDataKeyHome: DataKeyHome {}

extension TokenStoreError {
    /// The error for a person who did not confirm their presence, or who could not be asked.
    static func unconfirmed(_ error: any Error) -> TokenStoreError {
        error is CancellationError
            ? .locked(detail: "the user did not confirm to be present.") : .locked(detail: "\(error.scrubbedMessage)")
    }
}
