import Foundation

/// Items that another library has stored in Apple's Keychain as generic passwords of the app.
package struct FormerKeychain: Sendable {
    private let keychain: any Keychain
    /// Distinguishes absent items from items of a locked Keychain; `nil` for a Keychain that never reports an existing
    /// item as absent.
    private let vault: KeychainVault?

    /// Gives access to the items of a Keychain.
    /// - Parameters:
    ///   - keychain: the Keychain in which the library has stored its items.
    ///   - isCertain: whether the Keychain never reports an existing item as absent while it is locked.
    package init(_ keychain: any Keychain, isCertain: Bool = false) {
        self.keychain = keychain
        vault = isCertain ? nil : KeychainVault(keychain, service: "swift-identity")
    }

    /// The item's value; `nil` when there certainly is none.
    /// - Throws: ``/IdentityCore/TokenStoreError``; ``/IdentityCore/TokenStoreError/locked(detail:)`` while the Keychain
    ///   is locked, or when the user refuses to unlock it.
    package func value(_ name: KeychainName) throws -> Data? { try item(name)?.value }

    /// Removes the item, if there is one.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func remove(_ name: KeychainName) throws {
        guard let item = try item(name) else { return }
        do throws(KeychainError) {
            try keychain.delete(name, tagged: item.tag)
        } catch .itemNotFound {
            // The item was removed by another process meanwhile.
        } catch {
            throw error.storeError(at: name.account, isWrite: true)
        }
    }

    private func item(_ name: KeychainName) throws -> KeychainItem? {
        if let vault { return try vault.item(name) }
        do throws(KeychainError) {
            return try keychain.item(name)
        } catch .itemNotFound {
            return nil
        } catch {
            throw error.storeError(at: name.account, isWrite: false)
        }
    }
}

#if canImport(Security)
extension FormerKeychain {
    /// The Keychain that a library uses by default: the login keychain on macOS, and elsewhere the app's only Keychain.
    package static var ofApp: FormerKeychain {
        #if os(macOS)
        FormerKeychain(SecurityKeychain(accessGroup: nil, isLoginKeychain: true), isCertain: true)
        #else
        FormerKeychain(SecurityKeychain(accessGroup: nil))
        #endif
    }
}
#endif
