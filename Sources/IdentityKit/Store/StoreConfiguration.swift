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
    private enum CodingKeys: String, CodingKey {
        case type
        case folder
        case key
        case service
        case accessGroup
    }

    private enum Kind: String, Codable, CaseIterable {
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
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let kind = try? container.decode(Kind.self, forKey: .type) else {
            self = .custom(try CustomStore(from: decoder))
            return
        }
        switch kind {
        case .memory: self = .memory
        case .file:
            self = .file(
                folder: try container.decode(String.self, forKey: .folder),
                key: try container.decodeIfPresent(Key.self, forKey: .key) ?? .automatic)
        case .keychain:
            self = .keychain(
                service: try container.decodeIfPresent(String.self, forKey: .service) ?? Self.standardService,
                accessGroup: try container.decodeIfPresent(String.self, forKey: .accessGroup))
        }
    }

    /// Writes what ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .memory:
            try container.encode(Kind.memory, forKey: .type)
        case .file(let folder, let key):
            try container.encode(Kind.file, forKey: .type)
            try container.encode(folder, forKey: .folder)
            try container.encode(key, forKey: .key)
        case .keychain(let service, let accessGroup):
            try container.encode(Kind.keychain, forKey: .type)
            try container.encode(service, forKey: .service)
            try container.encodeIfPresent(accessGroup, forKey: .accessGroup)
        case .custom(let custom):
            try custom.encode(to: encoder)
        }
    }
}

extension StoreConfiguration.Key: Codable {
    private enum CodingKeys: String, CodingKey {
        case home
        case path
        case accessGroup
        case protection
    }

    private enum Home: String, Codable, CaseIterable {
        case automatic
        case keyFile
        case secretService
        case keychain
        case allowUnencryptedStorage
    }

    /// Reads `{"home": …}`, with `path` for a key file, `accessGroup` and `protection` for the Keychain.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Home.self, forKey: .home) {
        case .automatic: self = .automatic
        case .keyFile: self = .keyFile(path: try container.decodeIfPresent(String.self, forKey: .path))
        case .secretService: self = .secretService
        case .keychain:
            self = .keychain(
                accessGroup: try container.decodeIfPresent(String.self, forKey: .accessGroup),
                protection: try container.decodeIfPresent(KeyProtection.self, forKey: .protection) ?? .none)
        case .allowUnencryptedStorage: self = .allowUnencryptedStorage
        }
    }

    /// Writes what ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .automatic: try container.encode(Home.automatic, forKey: .home)
        case .keyFile(let path):
            try container.encode(Home.keyFile, forKey: .home)
            try container.encodeIfPresent(path, forKey: .path)
        case .secretService: try container.encode(Home.secretService, forKey: .home)
        case .keychain(let accessGroup, let protection):
            try container.encode(Home.keychain, forKey: .home)
            try container.encodeIfPresent(accessGroup, forKey: .accessGroup)
            if protection != .none { try container.encode(protection, forKey: .protection) }
        case .allowUnencryptedStorage: try container.encode(Home.allowUnencryptedStorage, forKey: .home)
        }
    }
}
