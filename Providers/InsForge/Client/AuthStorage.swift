import Foundation
import IdentityKit

/// The place of a client's sessions: opens the token store in which they are kept.
///
/// Processes share a store: a session is refreshed once for all of them, and a late refresh does not undo a sign-out.
public protocol AuthStorage: Sendable {
    /// Opens the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func openStore() throws -> any TokenStore
}

/// Sessions in files, encrypted with a key: in the Keychain on Apple's systems, for this device only and after the
/// first unlock; in the keyring of a Linux desktop; elsewhere in a private key file. On tvOS, which may delete files at
/// any time, the Keychain has the sessions themselves.
public struct KeychainAuthStorage: AuthStorage {
    private let configuration: StoreConfiguration

    /// Sessions in the app's own folder.
    public init() {
        self.init(folder: Self.defaultFolder)
    }

    /// Sessions in `folder`, which other programs of the same user can use too.
    /// - Parameters:
    ///   - folder: the folder of the store.
    ///   - accessGroup: the Keychain group by which an app and its extensions share the key.
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

/// Sessions in memory, which end with the process, for tests and previews. Clients with the same storage share them.
public struct InMemoryAuthStorage: AuthStorage {
    private let store = MemoryTokenStore()

    public init() {}

    /// The store.
    public func openStore() -> any TokenStore { store }
}

/// Sessions in any token store, such as one that other providers of the app use.
public struct SharedAuthStorage: AuthStorage {
    private let store: any TokenStore

    public init(_ store: any TokenStore) {
        self.store = store
    }

    /// The store.
    public func openStore() -> any TokenStore { store }
}

/// The storage of older code. User defaults are not safe for tokens, so the sessions are kept as in ``KeychainAuthStorage``.
@available(*, deprecated, renamed: "KeychainAuthStorage", message: "User defaults keep no secrets.")
public struct UserDefaultsAuthStorage: AuthStorage {
    /// Encrypted sessions in the app's own folder.
    public init() {}

    /// Opens the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try KeychainAuthStorage().openStore() }
}
