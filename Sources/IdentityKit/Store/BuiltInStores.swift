import Foundation

enum MemoryStorePlugin: AdministeredStorePlugin {
    struct Settings: Decodable {
        init(from decoder: any Decoder) throws { _ = try SettingsReader(decoder) }
    }

    static let type = "memory"

    static func place(of settings: Settings) -> String { "in memory, until the process ends" }

    static func openStore(settings: Settings, context: StoreContext) -> any TokenStore { MemoryTokenStore() }
}

enum KeychainStorePlugin: AdministeredStorePlugin {
    struct Settings: ConfigurationPart {
        let service: String
        let accessGroup: String?
    }

    static let type = "keychain"

    static func place(of settings: Settings) -> String { "in the Keychain, service \(settings.service)" }

    static func check(settings: Settings, context: StoreContext) throws {
        guard !settings.service.isEmpty else {
            throw TokenStoreError.unsupported(detail: "the Keychain's service has no name. Give it one")
        }
        #if !canImport(Security)
        throw noKeychain
        #endif
    }

    static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore {
        try check(settings: settings, context: context)
        #if canImport(Security)
        return KeychainTokenStore(
            service: settings.service, accessGroup: settings.accessGroup, time: context.time)
        #else
        throw noKeychain
        #endif
    }

    private static let noKeychain = TokenStoreError.unsupported(
        detail: "there is no Keychain on this system. Set \"type\": \"file\"")
}

extension KeychainStorePlugin.Settings {
    init(_ reader: SettingsReader) throws {
        service = try reader.read(
            "service", means: "The name that these sessions have in the Keychain.", example: "com.example.app",
            default: .string(StoreConfiguration.standardService), isUsual: true)
        accessGroup = try reader.readIfPresent(
            "accessGroup", means: "The Keychain's access group that an app shares with its extensions.",
            example: "ABCDE12345.com.example.shared")
    }

    var document: JSONValue {
        var document: JSONValue = ["service": .string(service)]
        document["accessGroup"] = accessGroup.map(JSONValue.string)
        return document
    }
}

package enum FileStorePlugin: AdministeredStorePlugin {
    package struct Settings: ConfigurationPart, Sendable {
        package var folder: String
        package var key: StoreConfiguration.Key
        var allowsNetworkFileSystem = false
    }

    package static let type = "file"

    package static func place(of settings: Settings) -> String { settings.folder }

    package static func check(settings: Settings, context: StoreContext) throws {
        _ = try KeyChoice(settings.key, at: checkedPlace(of: settings, context), in: context)
    }

    package static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore {
        let place = try checkedPlace(of: settings, context)
        return try openStore(settings, at: place, with: KeyChoice(settings.key, at: place, in: context), context)
    }

    /// Opens the store with a key from `home` in place of the one that the settings name.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func openStore(
        settings: Settings, key home: any DataKeyHome, context: StoreContext
    ) throws -> any TokenStore {
        let place = try checkedPlace(of: settings, context)
        return try openStore(settings, at: place, with: KeyChoice(home, at: place), context)
    }

    private static func openStore(
        _ settings: Settings, at place: StorePlace, with choice: KeyChoice, _ context: StoreContext
    ) throws -> any TokenStore {
        let store = try FileTokenStore(
            folder: URL(fileURLWithPath: place.folder, isDirectory: true), protection: choice.protection,
            allowsNetworkFileSystem: settings.allowsNetworkFileSystem, time: context.time)
        guard let home = choice.home else { return store }
        return SealedTokenStore(store, storeID: store.identifier, key: home, time: context.time)
    }

    /// The folder of the store, after a check that it can hold a store on this system.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    private static func checkedPlace(of settings: Settings, _ context: StoreContext) throws -> StorePlace {
        let place = try settings.place(in: context)
        try place.check()
        #if os(tvOS)
        throw TokenStoreError.unsupported(
            detail: "tvOS may remove an app's files at any time. Set \"type\": \"keychain\"")
        #else
        return place
        #endif
    }
}

extension FileStorePlugin.Settings {
    package init(_ reader: SettingsReader) throws {
        folder = try reader.read(
            "folder", means: "The private folder of the sessions; a relative path starts at the configuration file.",
            example: "~/.local/state/example")
        key = try reader.read(
            "key", means: "Where the key that seals the sessions is kept.", example: ["home": "keyFile"],
            default: ["home": "automatic"])
        allowsNetworkFileSystem = try reader.read(
            "allowsNetworkFileSystem",
            means:
                "Whether the folder may be on NFS, SMB or another network file system, for a program that runs on one machine only.",
            example: true, default: false)
    }

    package var document: JSONValue {
        var document: JSONValue = ["folder": .string(folder), "key": key.document]
        if allowsNetworkFileSystem { document["allowsNetworkFileSystem"] = true }
        return document
    }

    /// The folder of the store as an absolute path, in which `~` at the beginning is replaced by the home folder.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func place(in context: StoreContext) throws(TokenStoreError) -> StorePlace {
        try StorePlace(at: StoreConfiguration.path(folder, in: context))
    }
}
