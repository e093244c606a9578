import Foundation
import IdentityKit

/// Opens the token store that keeps a client's sessions.
///
/// If processes share a store, a session is refreshed once for all of them. A refresh that ends after a sign-out does
/// not store the session again.
public protocol AuthStorage: Sendable {
    /// Opens the store. A client calls this function when it is created. After an error of the class
    /// ``/IdentityCore/FailureClass/transient``, it calls the function again when it needs the store.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func openStore() throws -> any TokenStore
}

/// Sessions in encrypted files, or on tvOS in the Keychain, because tvOS may delete files at any time.
///
/// On Apple's systems, the key of the files is in the Keychain. The key stays on this device, and can be read once the device
/// has been unlocked after a restart. On a Linux desktop, the key is in the keyring. On all other systems, and for an unsigned
/// program on a Mac, the key is in a file that only the user can read.
public struct KeychainAuthStorage: AuthStorage {
    private let configuration: StoreConfiguration

    /// Creates a storage in the folder `swift-identity/insforge` of the user's application support folder. Programs
    /// outside a sandbox share this folder.
    public init() {
        self.init(folder: Self.defaultFolder)
    }

    /// Creates a storage in `folder`. Other programs of the same user that name this folder use the same sessions.
    /// - Parameters:
    ///   - folder: the folder of the store; ignored on tvOS.
    ///   - accessGroup: the Keychain group by which an app and its extensions share the key, or on tvOS the sessions.
    ///     Ignored on systems without a Keychain.
    public init(folder: URL, accessGroup: String? = nil) {
        #if os(tvOS)
        configuration = .keychain(
            service: "swift-identity.insforge", accessGroup: accessGroup, orFilesIn: folder.path)
        #else
        #if canImport(Security)
        let key = accessGroup.map { StoreConfiguration.Key.keychain(accessGroup: $0) } ?? .automatic
        #else
        let key = StoreConfiguration.Key.automatic
        #endif
        configuration = .file(folder: folder.path, key: key)
        #endif
    }

    /// Opens the store of files, or on tvOS the Keychain.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try configuration.open() }

    private static var defaultFolder: URL {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let base = folders.first ?? URL(fileURLWithPath: StorePath.home, isDirectory: true)
        return base.appendingPathComponent("swift-identity/insforge", isDirectory: true)
    }
}

/// Sessions in memory, which end with the process, for tests and previews. Clients with the same storage share the
/// sessions.
public struct InMemoryAuthStorage: AuthStorage {
    private let store = MemoryTokenStore()

    public init() {}

    /// Returns the store in memory, the same at every call.
    public func openStore() -> any TokenStore { store }
}

/// Sessions in any token store, such as one that other providers of the app use.
public struct SharedAuthStorage: AuthStorage {
    private let store: any TokenStore

    public init(_ store: any TokenStore) {
        self.store = store
    }

    /// Returns the store that the initializer received.
    public func openStore() -> any TokenStore { store }
}

/// The storage that older code uses. User defaults are not safe for tokens, so this type keeps the sessions as
/// ``KeychainAuthStorage`` does.
@available(*, deprecated, renamed: "KeychainAuthStorage", message: "User defaults keep no secrets.")
public struct UserDefaultsAuthStorage: AuthStorage {
    /// Creates a storage in the folder of ``KeychainAuthStorage/init()``.
    public init() {}

    /// Opens the store of ``KeychainAuthStorage/init()``.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public func openStore() throws -> any TokenStore { try KeychainAuthStorage().openStore() }
}
