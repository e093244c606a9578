import IdentityStoreFormat

/// A store type for configurations: its name, its settings, and how to open a store.
///
/// Settings are decoded strictly, as those of a ``ProviderPlugin``.
public protocol StorePlugin: SendableMetatype {
    /// The settings beside `type`.
    associatedtype Settings: Decodable & Sendable
    /// The type's name in a configuration, such as `postgres`.
    static var type: String { get }
    /// Where the sessions are, in words for a person, without secrets.
    static func place(of settings: Settings) -> String
    /// Opens the store. Nothing is connected or written.
    /// - Throws: when the settings cannot work.
    static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore
    /// Creates what the store needs, such as tables, or brings it to this version. `identity store migrate` calls it; opening
    /// a store never does.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func migrate(settings: Settings, context: StoreContext) async throws
    /// What ``migrate(settings:context:)`` does, in the server's language, for an administrator who does it by hand; `nil`
    /// when there is nothing to do.
    static func migration(settings: Settings) -> String?
    /// Examines the store's server, for `identity doctor`. Nothing is changed.
    static func examine(settings: Settings, context: StoreContext) async -> [StoreFinding]
}

extension StorePlugin {
    /// Does nothing: for stores that are complete once they are opened.
    /// - Throws: nothing.
    public static func migrate(settings: Settings, context: StoreContext) async throws {}
    /// `nil`.
    public static func migration(settings: Settings) -> String? { nil }
    /// Finds nothing.
    public static func examine(settings: Settings, context: StoreContext) async -> [StoreFinding] { [] }
}

/// What an examination of a store's server has found.
public struct StoreFinding: Sendable, Equatable {
    /// How good or bad it is.
    public enum Verdict: Sendable, Equatable {
        /// As it should be.
        case good
        /// It works, and should be otherwise.
        case warning
        /// It does not work.
        case bad
    }

    /// What was examined, in a word or two.
    public let subject: String
    /// How good or bad it is.
    public let verdict: Verdict
    /// What was found.
    public let detail: String
    /// How to mend it; `nil` when there is nothing to do.
    public let fix: String?

    /// A finding.
    public init(_ verdict: Verdict, _ subject: String, _ detail: String, fix: String? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.detail = detail
        self.fix = fix
    }
}

/// What an app passes to a store.
public struct StoreContext: Sendable {
    /// The clock.
    public var time: TimeSource
    /// The variables of the environment; `nil` for those of this process, as they are when they are read.
    let variables: [String: String]?

    /// A context.
    public init(time: TimeSource = .system) {
        self.init(time: time, variables: nil)
    }

    /// A context in another environment than that of the process.
    package init(time: TimeSource, variables: [String: String]?) {
        self.time = time
        self.variables = variables
    }

    @Sendable package func variable(_ name: String) -> String? {
        guard let variables else { return ProcessVariables.value(of: name) }
        return variables[name]
    }

    /// Folder that `~` stands for in the paths of a configuration.
    var home: String { StorePath.home(variable) }
}

extension StoreContext: CustomReflectable {
    /// Shows of the variables only the names.
    public var customMirror: Mirror {
        Mirror(self, showing: ["time": time, "variables": (variables ?? [:]).namesAlone])
    }
}

/// The store types of an app, beside those of ``StoreConfiguration``.
///
/// An app adds them to the ``ProviderRegistry/stores`` of its registry of providers.
public struct StoreRegistry: Sendable {
    private struct Entry: Sendable {
        let open: @Sendable (CustomStore, StoreContext) throws -> any TokenStore
        let place: @Sendable (CustomStore, StoreContext) throws -> String
        let migrate: @Sendable (CustomStore, StoreContext) async throws -> Void
        let migration: @Sendable (CustomStore) throws -> String?
        let examine: @Sendable (CustomStore, StoreContext) async throws -> [StoreFinding]
        let schema: @Sendable () -> JSONValue
        let descriptions: @Sendable () -> [SettingDescription]
        let read: @Sendable (CustomStore) throws -> any Sendable
    }

    private var entries: [String: Entry] = [:]

    /// Registers `plugins`.
    public init(_ plugins: [any StorePlugin.Type] = []) {
        for plugin in plugins { register(plugin) }
    }

    /// Makes a store type available. A later registration of the same name replaces the earlier one.
    public mutating func register<Plugin: StorePlugin>(_ plugin: Plugin.Type) {
        entries[Plugin.type] = Entry(
            open: { try Plugin.openStore(settings: $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            place: { Plugin.place(of: try $0.decoded(as: Plugin.Settings.self, $1)) },
            migrate: { try await Plugin.migrate(settings: $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            migration: { Plugin.migration(settings: try $0.decoded(as: Plugin.Settings.self)) },
            examine: { await Plugin.examine(settings: try $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            schema: { SchemaTracer.schema(of: Plugin.Settings.self, acceptsReferences: true) },
            descriptions: { SchemaTracer.descriptions(of: Plugin.Settings.self) },
            read: { try $0.decoded(as: Plugin.Settings.self) })
    }

    /// The names of all types, those of ``StoreConfiguration`` included.
    public var types: [String] { StoreConfiguration.types + entries.keys.sorted() }

    /// Opens a store.
    /// - Throws: ``/IdentityCore/TokenStoreError``, or ``ConfigurationError`` about the settings of a registered type.
    public func open(_ configuration: StoreConfiguration, time: TimeSource = .system) throws -> any TokenStore {
        try open(configuration, in: StoreContext(time: time))
    }

    /// ``open(_:time:)`` in another environment than that of the process.
    package func open(_ configuration: StoreConfiguration, in context: StoreContext) throws -> any TokenStore {
        guard case .custom(let custom) = configuration else { return try configuration.open(in: context) }
        return try entry(of: custom).open(custom, context)
    }

    /// Checks that a store can be opened on this system. Nothing is written, and no server is asked.
    /// - Throws: as ``open(_:time:)``.
    package func check(_ configuration: StoreConfiguration, in context: StoreContext = StoreContext()) throws {
        guard case .custom = configuration else { return try configuration.check(in: context) }
        _ = try open(configuration, in: context)
    }

    /// Where the sessions of a registered type are, in words; `nil` for other stores.
    /// - Throws: ``ConfigurationError``.
    package func place(
        of configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) throws -> String? {
        guard case .custom(let custom) = configuration else { return nil }
        return try entry(of: custom).place(custom, context)
    }

    /// Creates what the store needs, or brings it to this version. There is nothing to do for a type that needs no registry.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``ConfigurationError``.
    public func migrate(_ configuration: StoreConfiguration, time: TimeSource = .system) async throws {
        try await migrate(configuration, in: StoreContext(time: time))
    }

    /// ``migrate(_:time:)`` in another environment than that of the process.
    package func migrate(_ configuration: StoreConfiguration, in context: StoreContext) async throws {
        guard case .custom(let custom) = configuration else { return }
        try await entry(of: custom).migrate(custom, context)
    }

    /// What ``migrate(_:time:)`` does, in the server's language; `nil` when there is nothing to do.
    /// - Throws: ``ConfigurationError``.
    public func migration(of configuration: StoreConfiguration) throws -> String? {
        guard case .custom(let custom) = configuration else { return nil }
        return try entry(of: custom).migration(custom)
    }

    /// Examines the store's server.
    /// - Throws: ``ConfigurationError``.
    package func examine(
        _ configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) async throws -> [StoreFinding] {
        guard case .custom(let custom) = configuration else { return [] }
        return try await entry(of: custom).examine(custom, context)
    }

    /// The JSON Schema of the settings of each type. Those of ``StoreConfiguration`` come first.
    var schemas: [(type: String, schema: JSONValue)] {
        StoreConfiguration.schemas + entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value.schema()) }
    }

    /// The settings of a registered type; the configuration itself for other stores.
    /// - Throws: ``ConfigurationError``.
    package func settings(of configuration: StoreConfiguration) throws -> any Sendable {
        guard case .custom(let custom) = configuration else { return configuration }
        return try entry(of: custom).read(custom)
    }

    func descriptions(of type: String) -> [SettingDescription] {
        entries[type]?.descriptions() ?? SchemaTracer.descriptions(of: StoreConfiguration.self)
    }

    private func entry(of custom: CustomStore) throws -> Entry {
        guard let entry = entries[custom.type] else {
            throw ConfigurationError.unknownStoreType(
                keyPath: SettingsNode.join(custom.keyPath, "type"), type: custom.type, registered: types)
        }
        return entry
    }
}

/// A store of a registered type, as a configuration describes it.
public struct CustomStore: Sendable, Equatable {
    /// The type's name.
    public let type: String
    /// The settings beside `type`, with the texts of variables in place of references.
    public var settings: JSONValue
    var keyPath = "store"
    /// The folder of the configuration file, for relative paths; `nil` without a file.
    var folder: String?

    /// A store of a registered type.
    public init(type: String, settings: JSONValue = [:]) {
        self.type = type
        self.settings = settings
    }

    /// Whether both describe the same store, whatever file they were read from.
    public static func == (one: Self, other: Self) -> Bool {
        one.type == other.type && one.settings == other.settings
    }

    fileprivate func decoded<Settings: Decodable>(
        as type: Settings.Type, _ context: StoreContext = StoreContext()
    ) throws -> Settings {
        try SettingsDecoder.decode(type, from: settings, at: keyPath, folder: folder, home: context.home)
    }
}

extension CustomStore: CustomReflectable {
    /// Shows of the settings only the names: an address may contain a password.
    public var customMirror: Mirror {
        Mirror(self, showing: ["type": type, "settings": settings.objectValue?.keys.sorted() as Any])
    }
}

extension CustomStore: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
    }

    /// Reads `type`, and keeps the other members for the plug-in.
    public init(from decoder: any Decoder) throws {
        type = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .type)
        settings = try JSONValue(from: decoder)
        settings["type"] = nil
        if let node = decoder as? SettingsNode { keyPath = node.keyPath }
    }

    /// Writes what ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
        var members = settings
        members["type"] = .string(type)
        try members.encode(to: encoder)
    }
}
