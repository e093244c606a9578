import Foundation

enum MemoryStorePlugin: StorePlugin {
    struct Settings: Decodable {
        init(from decoder: any Decoder) throws { _ = try SettingsReader(decoder) }
    }

    static let type = "memory"

    static func place(of settings: Settings) -> String { "in memory, until the process ends" }

    static func openStore(settings: Settings, context: StoreContext) -> any TokenStore { MemoryTokenStore() }
}

enum KeychainStorePlugin: StorePlugin {
    struct Settings: Decodable {
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
    init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        service = try settings.read(
            "service", means: "The name that these sessions have in the Keychain.", example: "com.example.app",
            default: .string(StoreConfiguration.standardService), isUsual: true)
        accessGroup = try settings.readIfPresent(
            "accessGroup", means: "The Keychain's access group that an app shares with its extensions.",
            example: "ABCDE12345.com.example.shared")
    }

    var document: JSONValue {
        var document: JSONValue = ["service": .string(service)]
        document["accessGroup"] = accessGroup.map(JSONValue.string)
        return document
    }
}

package enum FileStorePlugin: StorePlugin {
    package struct Settings: Decodable, Sendable {
        package var folder: String
        package var key: StoreConfiguration.Key
    }

    package static let type = "file"

    package static func place(of settings: Settings) -> String { settings.folder }

    package static func check(settings: Settings, context: StoreContext) throws {
        _ = try checked(settings, context)
    }

    package static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore {
        let (place, choice) = try checked(settings, context)
        let store = try FileTokenStore(
            folder: URL(fileURLWithPath: place.folder, isDirectory: true), protection: choice.protection,
            time: context.time)
        guard let home = choice.home else { return store }
        return SealedTokenStore(store, storeID: store.identifier, key: home)
    }

    /// Checks that the store can be opened on this system.
    /// - Returns: the folder of the store, and the choice of its key.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    private static func checked(
        _ settings: Settings, _ context: StoreContext
    ) throws -> (place: StorePlace, key: KeyChoice) {
        let place = try settings.place(in: context)
        try place.check()
        #if os(tvOS)
        throw TokenStoreError.unsupported(
            detail: "tvOS may remove an app's files at any time. Set \"type\": \"keychain\"")
        #else
        return (place, try KeyChoice(settings.key, at: place, in: context))
        #endif
    }
}

extension FileStorePlugin.Settings {
    package init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        folder = try settings.read(
            "folder", means: "The private folder of the sessions; a relative path starts at the configuration file.",
            example: "~/.local/state/example")
        key = try settings.read(
            "key", means: "Where the key that seals the sessions is kept.", example: ["home": "keyFile"],
            default: ["home": "automatic"])
    }

    var document: JSONValue { ["folder": .string(folder), "key": key.document] }

    /// The folder of the store as an absolute path, in which `~` at the beginning is replaced by the home folder.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    func place(in context: StoreContext) throws(TokenStoreError) -> StorePlace {
        try StorePlace(at: StoreConfiguration.path(folder, in: context))
    }
}
