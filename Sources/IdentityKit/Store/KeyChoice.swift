import Foundation
import IdentityStoreFormat

/// The protection of a store, and the home of its key (``DataKeyHome``), as a configuration selects them on this machine.
struct KeyChoice {
    let protection: StoreProtection
    /// Home of the key; `nil` for unencrypted records.
    let home: (any DataKeyHome)?

    /// The choice of a home that the app passes in code.
    /// - Throws: ``/IdentityCore/TokenStoreError/insecure(path:detail:)`` for a key file in the store's folder.
    init(_ home: any DataKeyHome, at place: StorePlace) throws(TokenStoreError) {
        self.home = home
        if let file = home as? KeyFile { try Self.check(file, at: place) }
        protection =
            switch home {
            case is KeyFile: .keyFile
            case is GuardedKey: .keychain
            default: .ownKey
            }
    }

    init(_ key: StoreConfiguration.Key, at place: StorePlace, in context: StoreContext) throws {
        switch key {
        case .allowUnencryptedStorage:
            (protection, home) = (.allowUnencryptedStorage, nil)
        case .keyFile(let path):
            let file = KeyFile(path: try path.map { try StoreConfiguration.path($0, in: context) } ?? place.keyFile)
            try Self.check(file, at: place)
            (protection, home) = (.keyFile, file)
        case .secretService:
            #if os(Linux)
            (protection, home) = (.secretService, SecretServiceKey(variables: context.variables))
            #else
            throw Self.notHere(.secretService)
            #endif
        case .keychain(let accessGroup, let wanted):
            #if canImport(Security)
            (protection, home) = (.keychain, try wanted.home(accessGroup: accessGroup))
            #else
            throw wanted == .none ? Self.notHere(.keychain) : KeyProtection.unsupported
            #endif
        case .automatic:
            let established = try StoreDescription.read(in: place.folder)?.protection
            self = try Self(Self.key(for: established ?? Self.best(in: context)), at: place, in: context)
        }
    }

    /// Refuses a key file in the store's folder: whoever copies the folder would have the key as well.
    private static func check(_ file: KeyFile, at place: StorePlace) throws(TokenStoreError) {
        let path = StorePath.anchored(file.name, in: FileManager.default.currentDirectoryPath)
        // Resolve the paths only for a link, because this check runs at each start.
        let isLink = (try? StorePath.target(of: path)) != path
        guard !path.hasPrefix(place.folder + "/"), !path.hasPrefix(place.path + "/"),
            !isLink || !resolved(path).hasPrefix(resolved(place.folder) + "/")
        else {
            throw .insecure(path: file.name, detail: "the key file lies in the store's folder. Put it elsewhere")
        }
    }

    private static func resolved(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    }

    private static func best(in context: StoreContext) -> StoreProtection {
        #if canImport(Security)
        return best(in: SecurityKeychain(accessGroup: nil))
        #else
        let isDesktop = context.variable("WAYLAND_DISPLAY") != nil || context.variable("DISPLAY") != nil
        return isDesktop && context.variable("DBUS_SESSION_BUS_ADDRESS") != nil ? .secretService : .keyFile
        #endif
    }

    /// The Keychain, or a key file if this program may not use the Keychain. An unsigned program on a Mac lacks the
    /// entitlement (error -34018).
    static func best(in keychain: any Keychain) -> StoreProtection {
        do throws(KeychainError) {
            // Try to delete an item that does not exist, which changes nothing. Reading does not show whether the entitlement
            // is missing: without it, the system returns "not found" for every read, and refuses only writes.
            try keychain.delete(KeychainName(service: "swift-identity.keys", account: "entitlement"), tagged: Data())
        } catch .missingEntitlement {
            return .keyFile
        } catch {}
        return .keychain
    }

    /// The configuration that `automatic` uses for a store with this protection. For an unencrypted store, and for a
    /// store whose key the app passes in code, this is a key file. Opening such a store then fails, because neither of
    /// these two protections is selected automatically.
    private static func key(for protection: StoreProtection) -> StoreConfiguration.Key {
        switch protection {
        case .keychain: .keychain()
        case .secretService: .secretService
        default: .keyFile()
        }
    }

    private static func notHere(_ protection: StoreProtection) -> TokenStoreError {
        .unsupported(detail: "the key's home \"\(protection.rawValue)\" does not exist on this system. Choose another")
    }
}

extension StoreConfiguration.Key: Codable, ConfigurationPart {
    private enum Home: String, Decodable, CaseIterable {
        case automatic
        case keyFile
        case secretService
        case keychain
        case allowUnencryptedStorage
    }

    /// Reads `{"home": …}`, with the optional members `path` for a key file, and `accessGroup` and `protection` for the
    /// Keychain.
    package init(_ reader: SettingsReader) throws {
        let home: Home = try reader.read(
            "home",
            means:
                "What keeps the key; automatic is the Keychain on Apple's systems, the keyring on a Linux desktop, otherwise a key file.",
            example: "keyFile")
        switch home {
        case .automatic: self = .automatic
        case .keyFile:
            self = .keyFile(
                path: try reader.readIfPresent(
                    "path",
                    means:
                        "The file of the key, for a keyFile; by default beside the folder, with .key added to its name.",
                    example: "~/.config/example/sessions.key"))
        case .secretService: self = .secretService
        case .keychain:
            self = .keychain(
                accessGroup: try reader.readIfPresent(
                    "accessGroup",
                    means: "The access group of the key, for a Keychain that an app shares with its extensions.",
                    example: "ABCDE12345.com.example.shared"),
                protection: try reader.read(
                    "protection", means: "What the person has to do before the key can be used, for a Keychain.",
                    example: "biometry", default: "none"))
        case .allowUnencryptedStorage: self = .allowUnencryptedStorage
        }
    }

    package var document: JSONValue {
        func key(_ home: Home, _ members: [String: JSONValue?] = [:]) -> JSONValue {
            .object(members.compactMapValues { $0 }.merging(["home": .string(home.rawValue)]) { $1 })
        }
        return switch self {
        case .automatic: key(.automatic)
        case .keyFile(let path): key(.keyFile, ["path": path.map(JSONValue.string)])
        case .secretService: key(.secretService)
        case .keychain(let accessGroup, let protection):
            key(
                .keychain,
                [
                    "accessGroup": accessGroup.map(JSONValue.string),
                    "protection": protection == .none ? nil : .string(protection.rawValue),
                ])
        case .allowUnencryptedStorage: key(.allowUnencryptedStorage)
        }
    }
}
