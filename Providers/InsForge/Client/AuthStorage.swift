import Foundation
import IdentityKit

/// Opens the token store in which a client keeps its sessions.
///
/// A store is shared: a session is refreshed once for all processes, and a late refresh does not undo a sign-out.
public protocol AuthStorage: Sendable {
    /// Opens the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func openStore() throws -> any TokenStore
}

/// Sessions in files, sealed with a key that is kept in the Keychain on Apple's systems, for this device only and after the
/// first unlock; in the keyring of a Linux desktop; and in a private key file elsewhere. On tvOS, which may remove files at
/// any time, the sessions themselves are in the Keychain.
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
        #if os(tvOS)
        configuration = .keychain(service: "swift-identity.insforge", accessGroup: accessGroup)
        #else
        #if canImport(Security)
        let key = accessGroup.map { StoreConfiguration.Key.keychain(accessGroup: $0) } ?? .automatic
        #else
        let key = StoreConfiguration.Key.automatic
        #endif
        configuration = .file(folder: folder.path, key: key)
        #endif
    }

    /// Opens the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try configuration.open() }

    private static var defaultFolder: URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let base = folders.first ?? URL(fileURLWithPath: StorePath.home, isDirectory: true)
        return base.appendingPathComponent("swift-identity/insforge", isDirectory: true)
    }
}

/// Sessions that end with the process, for tests and previews. Clients with the same storage share them.
public struct InMemoryAuthStorage: AuthStorage {
    private let store = MemoryTokenStore()

    public init() {}

    /// The store.
    public func openStore() -> any TokenStore { store }
}

/// Sessions in any store, such as one that providers of this app use too.
public struct SharedAuthStorage: AuthStorage {
    private let store: any TokenStore

    public init(_ store: any TokenStore) {
        self.store = store
    }

    /// The store.
    public func openStore() -> any TokenStore { store }
}

/// The name that older code uses. User defaults are not safe for tokens, so the sessions are kept as
/// ``KeychainAuthStorage`` keeps them.
@available(*, deprecated, renamed: "KeychainAuthStorage", message: "User defaults keep no secrets.")
public struct UserDefaultsAuthStorage: AuthStorage {
    /// Sessions in the app's own folder, sealed.
    public init() {}

    /// Opens the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try KeychainAuthStorage().openStore() }
}
