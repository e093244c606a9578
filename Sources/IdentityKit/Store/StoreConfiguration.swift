import Foundation

/// Where sessions are kept.
public enum StoreConfiguration: Sendable, Equatable {
    /// In this process only.
    case memory
    /// In files of a private folder. `~` is the home folder; a relative path is resolved against the folder of the
    /// configuration file, or without one against the working directory when the store is opened. The same is true of the
    /// path of a key file. On tvOS, which may remove files at any time, opening the store fails.
    case file(folder: String, key: Key = .automatic)
    /// In Apple's Keychain, under a service name that identifies these sessions, and in an access group that an app shares
    /// with its extensions. On a system without Keychain, opening the store fails.
    case keychain(service: String = "swift-identity", accessGroup: String? = nil)
    /// In a store of a registered type; see ``StorePlugin``.
    case custom(CustomStore)

    /// Where the key that seals the records is kept.
    public enum Key: Sendable, Equatable {
        /// The Keychain on Apple systems, the keyring on a Linux desktop, otherwise a key file beside the folder, also for an
        /// unsigned program on a Mac, which may not use the Keychain. A store keeps the home it was created with.
        case automatic
        /// A file outside the folder; by default beside it, with `.key` appended to the folder's path.
        case keyFile(path: String? = nil)
        /// The keyring of a Linux desktop.
        case secretService
        /// Apple's Keychain, in an access group that an app shares with its extensions, where a person may have to open it.
        case keychain(accessGroup: String? = nil, protection: KeyProtection = .none)
        /// No key: the tokens are not encrypted, and every program of the same user can read them.
        case allowUnencryptedStorage
    }

    /// Checks that the store can be opened on this system. Nothing is opened or written.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func check(in context: StoreContext = StoreContext()) throws {
        switch self {
        case .memory: break
        case .file(let folder, let key): _ = try Self.checkedFiles(in: folder, key: key, context)
        case .keychain(let service, _):
            guard !service.isEmpty else {
                throw TokenStoreError.unsupported(detail: "the Keychain's service has no name. Give it one")
            }
            #if !canImport(Security)
            throw Self.noKeychain
            #endif
        case .custom: _ = try StoreRegistry().open(self, in: context)
        }
    }

    /// Opens the store. One of a registered type is opened by its ``StoreRegistry``.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or ``ConfigurationError`` for a type that needs a registry.
    public func open(time: TimeSource = .system) throws -> any TokenStore { try open(in: StoreContext(time: time)) }

    /// ``open(time:)`` in another environment than that of the process.
    package func open(in context: StoreContext) throws -> any TokenStore {
        switch self {
        case .memory:
            return MemoryTokenStore()
        case .file(let folder, let key):
            let (place, choice) = try Self.checkedFiles(in: folder, key: key, context)
            let store = try FileTokenStore(
                folder: URL(fileURLWithPath: place.folder, isDirectory: true), protection: choice.protection,
                time: context.time)
            guard let home = choice.home else { return store }
            return SealedTokenStore(store, storeID: store.identifier, key: home)
        case .keychain(let service, let accessGroup):
            try check(in: context)
            #if canImport(Security)
            return KeychainTokenStore(service: service, accessGroup: accessGroup, time: context.time)
            #else
            throw Self.noKeychain
            #endif
        case .custom: return try StoreRegistry().open(self, in: context)
        }
    }

    /// Where a file store is and how its key is kept, after a check that it can be opened on this system.
    private static func checkedFiles(
        in folder: String, key: Key, _ context: StoreContext
    ) throws -> (place: StorePlace, key: KeyChoice) {
        let place = try Self.place(folder, in: context)
        try place.check()
        #if os(tvOS)
        throw TokenStoreError.unsupported(
            detail: "tvOS may remove an app's files at any time. Set \"type\": \"keychain\"")
        #else
        return (place, try KeyChoice(key, at: place, in: context))
        #endif
    }

    private static let noKeychain = TokenStoreError.unsupported(
        detail: "there is no Keychain on this system. Set \"type\": \"file\"")
}

extension StoreConfiguration {
    /// The folder and the key file of a file store that is sealed with a key file; `nil` for other stores.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    package func filesSealedWithKeyFile(
        in context: StoreContext = StoreContext()
    ) throws -> (folder: String, keyFile: String)? {
        guard case .file(let folder, let key) = self else { return nil }
        let place = try Self.place(folder, in: context)
        guard let keyFile = try KeyChoice(key, at: place, in: context).home as? KeyFile else { return nil }
        return (place.folder, keyFile.name)
    }
}

/// The protection and the key's home of a configuration on this machine.
struct KeyChoice {
    let protection: StoreProtection
    /// `nil` for unencrypted records.
    let home: (any DataKeyHome)?

    init(_ key: StoreConfiguration.Key, at place: StorePlace, in context: StoreContext) throws {
        switch key {
        case .allowUnencryptedStorage:
            (protection, home) = (.allowUnencryptedStorage, nil)
        case .keyFile(let path):
            let file = try path.map { try StoreConfiguration.path($0, in: context) } ?? place.keyFile
            guard ![place.folder, place.path].contains(where: { file.hasPrefix($0 + "/") }) else {
                throw TokenStoreError.insecure(
                    path: file, detail: "the key file lies in the store's folder. Put it elsewhere")
            }
            (protection, home) = (.keyFile, KeyFile(path: file))
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

    private static func best(in context: StoreContext) -> StoreProtection {
        #if canImport(Security)
        return best(in: SecurityKeychain(accessGroup: nil))
        #else
        let isDesktop = context.variable("WAYLAND_DISPLAY") != nil || context.variable("DISPLAY") != nil
        return isDesktop && context.variable("DBUS_SESSION_BUS_ADDRESS") != nil ? .secretService : .keyFile
        #endif
    }

    /// The Keychain, unless this program may not use it: an unsigned one on a Mac has no entitlement for it (-34018).
    static func best(in keychain: any Keychain) -> StoreProtection {
        do throws(KeychainError) {
            _ = try keychain.item(KeychainName(service: "swift-identity.keys", account: "entitlement"))
        } catch .missingEntitlement {
            return .keyFile
        } catch {}
        return .keychain
    }

    /// The configuration of a protection. An unencrypted store is opened only when that is configured.
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

extension StoreConfiguration: Codable {
    private enum Kind: String, Decodable, CaseIterable {
        case memory
        case file
        case keychain
    }

    /// The names of the types that need no registry.
    static var types: [String] { Kind.allCases.map(\.rawValue) }

    static var schemas: [(type: String, schema: JSONValue)] {
        Kind.allCases.enumerated().map { index, kind in
            (kind.rawValue, SchemaTracer.schema(of: Self.self, acceptsReferences: true, choosing: [".type": index]))
        }
    }

    /// Reads `{"type": …}` and the members of the type.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let kind: Kind? = try? settings.read(
            "type", means: "Which kind of store keeps the sessions.", example: "file")
        switch kind {
        case .memory: self = .memory
        case .file:
            self = .file(
                folder: try settings.read(
                    "folder",
                    means: "The private folder of the sessions; a relative path starts at the configuration file.",
                    example: "~/.local/state/example"),
                key: try settings.read(
                    "key", means: "Where the key that seals the sessions is kept.", example: ["home": "keyFile"],
                    default: ["home": "automatic"]))
        case .keychain:
            self = .keychain(
                service: try settings.read(
                    "service", means: "The name that these sessions have in the Keychain.", example: "com.example.app",
                    default: .string(Self.standardService), isUsual: true),
                accessGroup: try settings.readIfPresent(
                    "accessGroup", means: "The Keychain's access group that an app shares with its extensions.",
                    example: "ABCDE12345.com.example.shared"))
        case nil: self = .custom(try CustomStore(from: decoder))
        }
    }

    /// Writes what ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }

    var document: JSONValue {
        switch self {
        case .memory: return ["type": "memory"]
        case .file(let folder, let key): return ["type": "file", "folder": .string(folder), "key": key.document]
        case .keychain(let service, let accessGroup):
            var document: JSONValue = ["type": "keychain", "service": .string(service)]
            document["accessGroup"] = accessGroup.map(JSONValue.string)
            return document
        case .custom(let custom): return custom.settings.merged(with: ["type": .string(custom.type)])
        }
    }
}

extension StoreConfiguration.Key: Codable {
    private enum Home: String, Decodable, CaseIterable {
        case automatic
        case keyFile
        case secretService
        case keychain
        case allowUnencryptedStorage
    }

    /// Reads `{"home": …}`, with `path` for a key file, `accessGroup` and `protection` for the Keychain.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let home: Home = try settings.read(
            "home",
            means:
                "What keeps the key; automatic is the Keychain on Apple's systems, the keyring on a Linux desktop, otherwise a key file.",
            example: "keyFile")
        switch home {
        case .automatic: self = .automatic
        case .keyFile:
            self = .keyFile(
                path: try settings.readIfPresent(
                    "path",
                    means:
                        "The file of the key, for a keyFile; by default beside the folder, with .key added to its name.",
                    example: "~/.config/example/sessions.key"))
        case .secretService: self = .secretService
        case .keychain:
            self = .keychain(
                accessGroup: try settings.readIfPresent(
                    "accessGroup",
                    means: "The access group of the key, for a Keychain that an app shares with its extensions.",
                    example: "ABCDE12345.com.example.shared"),
                protection: try settings.read(
                    "protection", means: "What the person has to do before the key can be used, for a Keychain.",
                    example: "biometry", default: "none"))
        case .allowUnencryptedStorage: self = .allowUnencryptedStorage
        }
    }

    /// Writes what ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }

    fileprivate var document: JSONValue {
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
