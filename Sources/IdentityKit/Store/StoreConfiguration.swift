/// Configuration of the store that keeps sessions: the type of a ``StorePlugin``, and its settings.
///
/// The coded form is an object with `type` and the settings of that type. The settings of a built-in type are checked when
/// the object is decoded.
public struct StoreConfiguration: Sendable, Equatable {
    /// The type's name, such as `file`.
    public let type: String
    /// The settings other than `type`. An ``IdentityConfiguration`` replaces references to environment variables by their
    /// values when it is read.
    public var settings: JSONValue
    @Uncompared private var keyPath = "store"
    /// The folder of the configuration file, for relative paths; `nil` without a file.
    @Uncompared var folder: String? = nil

    /// Describes a store of a built-in or registered type. The settings are checked when the store is opened.
    public init(type: String, settings: JSONValue = [:]) { (self.type, self.settings) = (type, settings) }

    /// Keeps sessions in the memory of this process only.
    public static let memory = StoreConfiguration(type: MemoryStorePlugin.type)

    /// Keeps sessions in files in a private folder. On tvOS, which may remove files at any time, opening the store
    /// fails.
    /// - Parameters:
    ///   - folder: the folder's path. `~` is the home folder. A relative path is resolved against the folder of the
    ///     configuration file. Without a configuration file, it is resolved against the working directory when the store is
    ///     opened. The path of a key file is resolved in the same way.
    ///   - key: where the key that encrypts the records is kept.
    ///   - allowsNetworkFileSystem: whether a folder on NFS, SMB or another network file system is accepted, where locks may
    ///     not exclude other machines.
    public static func file(
        folder: String, key: Key = .automatic, allowsNetworkFileSystem: Bool = false
    ) -> StoreConfiguration {
        let settings = FileStorePlugin.Settings(
            folder: folder, key: key, allowsNetworkFileSystem: allowsNetworkFileSystem)
        return StoreConfiguration(type: FileStorePlugin.type, settings: settings.document)
    }

    /// Opens a store in a private folder as ``file(folder:key:allowsNetworkFileSystem:)`` describes it, with a key from any
    /// home, such as a key management service.
    /// - Parameters:
    ///   - folder: the folder's path. A folder that was created with another kind of key, or without one, is refused.
    ///   - home: where the key that encrypts the records is kept, under the store's random identifier.
    ///   - allowsNetworkFileSystem: whether a folder on a network file system is accepted.
    ///   - time: the clock for deadlines and waits.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    public static func openFiles(
        in folder: String, key home: any DataKeyHome, allowsNetworkFileSystem: Bool = false,
        time: TimeSource = .system
    ) throws -> any TokenStore {
        try FileStorePlugin.openStore(
            settings: FileStorePlugin.Settings(
                folder: folder, key: .automatic, allowsNetworkFileSystem: allowsNetworkFileSystem),
            key: home, context: StoreContext(time: time))
    }

    /// Keeps sessions in Apple's Keychain, on the Mac in the data protection keychain. On a system without a Keychain, opening
    /// the store fails.
    ///
    /// The sessions stay on this device and are excluded from backups. They can be read once the device has been unlocked
    /// after a restart. Because the Keychain does not report changes, a writer sends a signal to other processes, which also
    /// check the Keychain every ten seconds. A lease is the right of one process to refresh a session. If the process is
    /// suspended or ends before it releases the lease, the lease ends after 45 seconds.
    /// - Parameters:
    ///   - service: the name that identifies these sessions.
    ///   - accessGroup: shares the sessions between an app and its extensions, such as `ABCDE12345.com.example.shared`;
    ///     `nil` for the first group in the app's entitlements, which other apps may have as well. The group must be in the
    ///     entitlements of the app and of each extension.
    public static func keychain(
        service: String = "swift-identity", accessGroup: String? = nil
    ) -> StoreConfiguration {
        StoreConfiguration(
            type: KeychainStorePlugin.type,
            settings: KeychainStorePlugin.Settings(service: service, accessGroup: accessGroup).document)
    }

    /// The home of the key that encrypts the records of a file store. The coded form is an object with `home`, and
    /// optionally `path` for a key file, or `accessGroup` and `protection` for the Keychain.
    public enum Key: Sendable, Equatable {
        /// The Keychain on Apple systems, the keyring on a Linux desktop, otherwise a key file beside the folder. An unsigned
        /// program on a Mac gets a key file, too. A store keeps the home that it was created with.
        case automatic
        /// A file outside the folder; by default beside it, with `.key` appended to the folder's path.
        case keyFile(path: String? = nil)
        /// The keyring of a Linux desktop, through the program `secret-tool`. On other systems, opening the store fails.
        case secretService
        /// Apple's Keychain. An access group shares the key between an app and its extensions, and a protection can require a
        /// person to unlock the key. On other systems, opening the store fails.
        case keychain(accessGroup: String? = nil, protection: KeyProtection = .none)
        /// No key: the tokens are not encrypted, and every program of the same user can read them.
        case allowUnencryptedStorage
    }

    /// Whether the type needs no registration.
    package var isBuiltIn: Bool { StoreRegistry.builtIn.contains { $0.type == type } }

    /// Opens the store. A store of a registered type can be opened only by its ``ProviderRegistry``.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or ``ConfigurationError`` for a type that needs a registry and for
    ///   invalid settings.
    public func open(time: TimeSource = .system) throws -> any TokenStore { try open(in: StoreContext(time: time)) }

    /// Opens the store as ``open(time:)`` does, in an environment other than that of the process.
    package func open(in context: StoreContext) throws -> any TokenStore {
        try StoreRegistry().open(self, in: context)
    }

    /// Checks that the store can be opened on this system, without writing anything or connecting to a server.
    /// - Throws: as ``open(time:)``.
    package func check(in context: StoreContext = StoreContext()) throws {
        try StoreRegistry().check(self, in: context)
    }

    func unknownType(among registered: [String]) -> ConfigurationError {
        .unknownStoreType(keyPath: SettingsNode.join(keyPath, "type"), type: type, registered: registered)
    }

    func decoded<Settings: Decodable>(
        as type: Settings.Type, _ context: StoreContext = StoreContext()
    ) throws -> Settings {
        try SettingsDecoder.decode(type, from: settings, at: keyPath, folder: folder, home: context.home)
    }
}

extension StoreConfiguration: Reticent {
    /// Shows the names of the settings, but not their values: an address may contain a password.
    package var shown: KeyValuePairs<String, Any> {
        ["type": type, "settings": settings.objectValue?.keys.sorted() as Any]
    }
}

extension StoreConfiguration: Codable, ConfigurationPart {
    /// Reads `type` and the other members. The settings of a built-in type are checked here, all others when a registry
    /// opens the store.
    package init(_ reader: SettingsReader) throws {
        let decoder = reader.decoder
        type = try reader.read("type", means: "Which kind of store keeps the sessions.", example: "file")
        switch type {
        case MemoryStorePlugin.type: settings = [:]
        case FileStorePlugin.type: settings = try FileStorePlugin.Settings(reader).document
        case KeychainStorePlugin.type: settings = try KeychainStorePlugin.Settings(reader).document
        case _ where decoder is SchemaNode:
            // Decode the settings of a file store and of a Keychain store, so that the schema contains both.
            settings = try FileStorePlugin.Settings(reader).document
            _ = try KeychainStorePlugin.Settings(reader)
            (decoder as? SchemaNode)?.noteOptional("folder")
        default:
            settings = try decoder.singleValueContainer().decode(JSONValue.self)
            settings["type"] = nil
        }
        if let node = decoder as? SettingsNode { keyPath = node.keyPath }
    }

    package var document: JSONValue { settings.merged(with: ["type": .string(type)]) }
}
