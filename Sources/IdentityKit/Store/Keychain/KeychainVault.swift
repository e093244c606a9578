import Foundation

/// A Keychain that distinguishes absent items from locked ones.
///
/// Before the first unlock after a restart the system may report "not found" for existing items. A witness item
/// distinguishes the cases: while it can be neither found nor added, the Keychain counts as locked. Once it has been
/// found or added, the Keychain stays unlocked until the next restart.
package struct KeychainVault: Sendable {
    private let keychain: any Keychain
    private let witness: KeychainName
    private let isOpen = Locked(false)

    /// Wraps a Keychain.
    /// - Parameter service: the service name of the store, from which the name of the witness is made.
    package init(_ keychain: any Keychain, service: String) {
        self.keychain = keychain
        witness = KeychainName(service: "\(service).open", account: "witness")
    }

    /// A random identifier of this device: the value of the witness item, which is never copied to another device. The
    /// witness is added if there is none.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/locked(detail:)`` while the
    ///   Keychain is locked.
    package func deviceIdentifier() throws(TokenStoreError) -> String {
        do throws(KeychainError) {
            try lookForWitness()
            return String(decoding: try keychain.item(witness).value, as: UTF8.self)
        } catch {
            throw error.storeError(at: witness.account, isWrite: false)
        }
    }

    /// The item with this name; `nil` when there certainly is none.
    /// - Throws: ``/IdentityCore/TokenStoreError``, such as ``/IdentityCore/TokenStoreError/locked(detail:)`` while the
    ///   Keychain is locked.
    package func item(_ name: KeychainName) throws(TokenStoreError) -> KeychainItem? {
        try reporting(at: name.account, isWrite: false, absence: nil) { () throws(KeychainError) in
            try keychain.item(name)
        }
    }

    /// The tags of a service's items by their account names, read without the values.
    package func tags(ofService service: String) throws(TokenStoreError) -> [String: Data] {
        try reporting(at: service, isWrite: false, absence: [:]) { () throws(KeychainError) in
            try keychain.tags(ofService: service)
        }
    }

    /// Adds an item, unless there is already one with this name.
    /// - Returns: whether the item was added.
    package func add(_ item: KeychainItem, as name: KeychainName) throws(TokenStoreError) -> Bool {
        do {
            try keychain.add(item, as: name)
            return true
        } catch .duplicateItem {
            return false
        } catch {
            throw error.storeError(at: name.account, isWrite: true)
        }
    }

    /// Replaces an item that has `tag`.
    /// - Returns: whether there was such an item.
    package func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(TokenStoreError) -> Bool {
        try reporting(at: name.account, isWrite: true, absence: false) { () throws(KeychainError) in
            try keychain.update(name, tagged: tag, to: item)
            return true
        }
    }

    /// Removes the item if it has `tag`. An empty `tag` removes the item whatever its tag.
    package func delete(_ name: KeychainName, tagged tag: Data) throws(TokenStoreError) {
        try reporting(at: name.account, isWrite: true, absence: ()) { () throws(KeychainError) in
            try keychain.delete(name, tagged: tag)
        }
    }

    /// The result of `body`, or `absence` when there certainly is no such item.
    private func reporting<Value>(
        at path: String, isWrite: Bool, absence: Value, _ body: () throws(KeychainError) -> Value
    ) throws(TokenStoreError) -> Value {
        do {
            return try body()
        } catch .itemNotFound {
            try confirmOpen()
            return absence
        } catch {
            throw error.storeError(at: path, isWrite: isWrite)
        }
    }

    private func confirmOpen() throws(TokenStoreError) {
        if isOpen.withLock({ $0 }) { return }
        do {
            try lookForWitness()
        } catch {
            throw error.storeError(at: witness.account, isWrite: false)
        }
        isOpen.withLock { $0 = true }
    }

    private func lookForWitness() throws(KeychainError) {
        do {
            _ = try keychain.item(witness)
            return
        } catch .itemNotFound {
            // The witness does not exist yet, or the Keychain is locked.
        }
        do {
            let value = Data(UUID().uuidString.utf8)
            try keychain.add(KeychainItem(tag: Data("1".utf8), value: value), as: witness)
        } catch .duplicateItem {
            // If another process has added the witness meanwhile, reading succeeds. Otherwise the Keychain is locked.
            do {
                _ = try keychain.item(witness)
            } catch .itemNotFound {
                throw .interactionNotAllowed
            }
        }
    }
}
