import Foundation
import IdentityKit

/// Where a client keeps its sessions: something that opens a shared token store.
///
/// A store, and not merely a place for one value: it refreshes a session once however many processes ask, and it keeps a
/// sign-out from being undone by a refresh that comes back late.
public protocol AuthStorage: Sendable {
    /// Opens the store.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    func openStore() throws -> any TokenStore
}

/// Sessions in files, sealed with a key that the best place of this system keeps: the Keychain on Apple's systems, for
/// this device only and after the first unlock; the keyring of a Linux desktop; a private key file elsewhere.
public struct KeychainAuthStorage: AuthStorage {
    private let configuration: StoreConfiguration

    /// Sessions in the app's own folder.
    public init() {
        self.init(folder: Self.defaultFolder)
    }

    /// Sessions in `folder`, which other programs of the same user can open too.
    /// - Parameters:
    ///   - folder: where the store is.
    ///   - accessGroup: shares the Keychain's key between an app and its extensions.
    public init(folder: URL, accessGroup: String? = nil) {
        #if canImport(Security)
        let key = StoreConfiguration.Key.keychain(accessGroup: accessGroup)
        #else
        let key = StoreConfiguration.Key.automatic
        #endif
        configuration = .file(folder: folder.path, key: key)
    }

    /// Opens the store.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try configuration.open() }

    private static var defaultFolder: URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let base = folders.first ?? URL(fileURLWithPath: StorePath.home, isDirectory: true)
        return base.appendingPathComponent("swift-identity/insforge", isDirectory: true)
    }
}

/// Sessions that end with the process, for tests and previews. Clients that are given the same one share them.
public struct InMemoryAuthStorage: AuthStorage {
    private let store = MemoryTokenStore()

    /// Nobody is signed in.
    public init() {}

    /// The store.
    public func openStore() -> any TokenStore { store }
}

/// Sessions in a store of any kind: one that providers of this app use too, or one of the app's own.
public struct SharedAuthStorage: AuthStorage {
    private let store: any TokenStore

    /// Uses `store`.
    public init(_ store: any TokenStore) {
        self.store = store
    }

    /// The store.
    public func openStore() -> any TokenStore { store }
}

/// The name that older code asks for. User defaults are no place for a token that is good for seven days, so the
/// sessions are where ``KeychainAuthStorage`` keeps them.
@available(*, deprecated, renamed: "KeychainAuthStorage", message: "User defaults keep no secrets.")
public struct UserDefaultsAuthStorage: AuthStorage {
    /// Sessions in the app's own folder, sealed.
    public init() {}

    /// Opens the store.
    /// - Throws: ``/IdentityKit/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try KeychainAuthStorage().openStore() }
}
