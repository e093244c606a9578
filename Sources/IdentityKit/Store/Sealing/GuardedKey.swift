import Foundation

/// Keeps the key in Apple's Keychain, where a person has to unlock it: on this device only and not in backups.
///
/// The person is asked when a process first reads the key, not when the key is created. An existing key without
/// protection is moved under it. If the system has deleted the key, a new one is created, and people have to sign in
/// again.
public struct GuardedKey: DataKeyHome {
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

    public var name: String { "the Keychain" }

    /// A random number that is kept in this device's Keychain and in no backup.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func deviceIdentifier() throws -> String? { try unguarded.deviceIdentifier() }

    /// The stored key, after the person has unlocked it.
    /// - Throws: ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first unlock and when the person does not
    ///   open it, `CancellationError` when the task is cancelled, otherwise
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    public func key(forStore storeID: String) async throws -> DataKey? {
        let name = KeychainName(service: service, account: storeID)
        let tags = try reporting { () throws(TokenStoreError) in try vault.tags(ofService: service) }
        guard let tag = tags[storeID] else { return try move(to: name) }
        guard let item = try await open(name) else {
            // Remove remains of the old key, which would be in the way of a new one.
            try reporting { () throws(TokenStoreError) in try vault.delete(name, tagged: tag) }
            return nil
        }
        // An unprotected key is left when a process ends while moving it.
        try unguarded.remove(forStore: storeID)
        return try key(in: String(decoding: item.value, as: UTF8.self), of: "item")
    }

    /// Adds a new key, unless there is one already, without asking the person.
    /// - Throws: as ``key(forStore:)``, and ``/IdentityCore/RandomnessError``.
    public func makeKey(forStore storeID: String) async throws -> DataKey {
        let key = try DataKey()
        if try add(key, as: KeychainName(service: service, account: storeID)) { return key }
        guard let existing = try await self.key(forStore: storeID) else {
            throw unavailable("another process has removed the item")
        }
        return existing
    }

    private var unguarded: KeychainKey { KeychainKey(keychain, service: unguardedService) }

    /// Moves an unprotected key under the protection. The protected copy is added before the original is removed.
    private func move(to name: KeychainName) throws -> DataKey? {
        guard let key = try unguarded.key(forStore: name.account) else { return nil }
        _ = try add(key, as: name)
        try unguarded.remove(forStore: name.account)
        return key
    }

    /// Adds a key to the Keychain.
    /// - Returns: whether the key was added, because there was none.
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

/// A home whose keys the system may delete, such as when a finger is added. A store whose key is gone starts empty,
/// because nobody can restore the key.
package protocol RevocableDataKeyHome: DataKeyHome {}

extension TokenStoreError {
    /// Error when the person did not confirm their presence.
    static func unconfirmed(_ error: any Error) -> TokenStoreError {
        error is CancellationError
            ? .locked(detail: "the user did not confirm to be present.") : .locked(detail: "\(error.scrubbedMessage)")
    }
}
