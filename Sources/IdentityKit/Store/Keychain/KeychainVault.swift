import Foundation

/// A Keychain that tells what is absent from what cannot be seen.
///
/// Before the first unlock after a restart the system may answer "not found" for items that are there. A witness, an item
/// like any other, decides: while it is neither found nor can be added, nothing that is not found is absent. Once it was
/// seen, the Keychain stays open until the next restart, which this process does not live to see.
package struct KeychainVault: Sendable {
    private let keychain: any Keychain
    private let witness: KeychainName
    private let isOpen = Locked(false)

    /// - Parameter service: names the witness; items of other services do not matter.
    package init(_ keychain: any Keychain, service: String) {
        self.keychain = keychain
        witness = KeychainName(service: "\(service).open", account: "witness")
    }

    /// The item; `nil` when there certainly is none.
    package func item(_ name: KeychainName) throws(TokenStoreError) -> KeychainItem? {
        do {
            return try keychain.item(name)
        } catch .itemNotFound {
            try confirmOpen()
            return nil
        } catch {
            throw error.storeError(at: name.account, isWrite: false)
        }
    }

    /// The tags of a service's items by account, without their values.
    package func tags(ofService service: String) throws(TokenStoreError) -> [String: Data] {
        do {
            return try keychain.tags(ofService: service)
        } catch .itemNotFound {
            try confirmOpen()
            return [:]
        } catch {
            throw error.storeError(at: service, isWrite: false)
        }
    }

    /// Adds an item.
    /// - Returns: whether there was none.
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
    /// - Returns: whether there was one.
    package func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(TokenStoreError) -> Bool {
        do {
            try keychain.update(name, tagged: tag, to: item)
            return true
        } catch .itemNotFound {
            try confirmOpen()
            return false
        } catch {
            throw error.storeError(at: name.account, isWrite: true)
        }
    }

    /// Removes an item that has `tag`, if there is one.
    package func delete(_ name: KeychainName, tagged tag: Data) throws(TokenStoreError) {
        do {
            try keychain.delete(name, tagged: tag)
        } catch .itemNotFound {
            try confirmOpen()
        } catch {
            throw error.storeError(at: name.account, isWrite: true)
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
            // Not there yet, or there and not to be seen.
        }
        do {
            try keychain.add(KeychainItem(tag: Data("1".utf8), value: Data("open".utf8)), as: witness)
        } catch .duplicateItem {
            // Another process may have been faster, and then it can be read.
            do {
                _ = try keychain.item(witness)
            } catch .itemNotFound {
                throw .interactionNotAllowed
            }
        }
    }
}
