import Foundation

/// Keeps the key in Apple's Keychain, where a person has to open it: on this device only and not in backups.
///
/// The person is asked when the key is read for the first time in a process, not when it is made. A key that was kept without
/// protection is moved. A key that the system has taken away is made anew, and people sign in again.
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

    /// A random number that this device's Keychain keeps, and no backup does.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func deviceIdentifier() throws -> String? { try unguarded.deviceIdentifier() }

    /// The stored key, which the person opens.
    /// - Throws: ``/IdentityCore/TokenStoreError/locked(detail:)`` before the first unlock and when the person does not open
    ///   it, `CancellationError` when the task is cancelled, otherwise
    ///   ``/IdentityCore/TokenStoreError/keyUnavailable(home:detail:)``.
    public func key(forStore storeID: String) async throws -> DataKey? {
        let name = KeychainName(service: service, account: storeID)
        let tags = try reporting { () throws(TokenStoreError) in try vault.tags(ofService: service) }
        guard let tag = tags[storeID] else { return try move(to: name) }
        guard let item = try await open(name) else {
            // Remains of the old key would be in the way of a new one.
            try reporting { () throws(TokenStoreError) in try vault.delete(name, tagged: tag) }
            return nil
        }
        // A process that was ended while it moved the key left this.
        try unguarded.remove(forStore: storeID)
        return try key(in: String(decoding: item.value, as: UTF8.self), of: "item")
    }

    /// Adds a new key, unless there is one already. Nobody is asked.
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

    /// Puts a key that anybody could read under the protection. It is added before it is removed.
    private func move(to name: KeychainName) throws -> DataKey? {
        guard let key = try unguarded.key(forStore: name.account) else { return nil }
        _ = try add(key, as: name)
        try unguarded.remove(forStore: name.account)
        return key
    }

    /// - Returns: whether there was none.
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

    /// The item; `nil` when the system has taken it away.
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

/// A home whose keys the system takes away, such as when a finger is added. A store whose key is gone starts anew, because
/// nobody can restore it.
package protocol RevocableDataKeyHome: DataKeyHome {}

extension TokenStoreError {
    /// A person who was asked to be present did not confirm it.
    static func unconfirmed(_ error: any Error) -> TokenStoreError {
        error is CancellationError
            ? .locked(detail: "the user did not confirm to be present.") : .locked(detail: "\(error.scrubbedMessage)")
    }
}
