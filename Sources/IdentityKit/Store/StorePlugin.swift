import IdentityStoreFormat

/// A store type for configurations: its name, its settings, and how to open a store.
///
/// The settings are decoded strictly, as those of a ``ProviderPlugin``: an unknown key is an error.
public protocol StorePlugin: SendableMetatype {
    /// The decoded form of the settings, without `type`.
    associatedtype Settings: Decodable & Sendable
    /// The type's name in a configuration, such as `postgres`.
    static var type: String { get }
    /// Describes to a person where the sessions are kept, without secrets.
    static func place(of settings: Settings) -> String
    /// Opens the store, without connecting to a server. A type that writes something here, such as a folder, implements
    /// ``check(settings:context:)``, too.
    /// - Throws: an error when the store cannot be opened with these settings.
    static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore
    /// Checks that the store can be opened on this system, without writing anything or connecting to a server.
    /// - Throws: as ``openStore(settings:context:)``.
    static func check(settings: Settings, context: StoreContext) throws
    /// Creates what the store needs, such as tables, or updates what an earlier version created.
    /// `identity store migrate` and ``ProviderRegistry/migrateStore(_:time:)`` call this method. Opening a store never does.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func migrate(settings: Settings, context: StoreContext) async throws
    /// The statements that ``migrate(settings:context:)`` executes, for an administrator who executes them by hand;
    /// `nil` when there is nothing to do.
    static func migration(settings: Settings) -> String?
    /// Examines the store's server for `identity doctor`, without changing anything.
    static func examine(settings: Settings, context: StoreContext) async -> [StoreFinding]
}

extension StorePlugin {
    /// Opens the store and discards it, for types that write nothing when they open a store.
    /// - Throws: as ``openStore(settings:context:)``.
    public static func check(settings: Settings, context: StoreContext) throws {
        _ = try openStore(settings: settings, context: context)
    }
    /// Does nothing, for stores that need no preparation.
    /// - Throws: nothing.
    public static func migrate(settings: Settings, context: StoreContext) async throws {}
    /// Returns `nil`, because there is nothing to do.
    public static func migration(settings: Settings) -> String? { nil }
    /// Returns no findings, for stores without a server.
    public static func examine(settings: Settings, context: StoreContext) async -> [StoreFinding] { [] }
}

/// A result of examining a store's server.
public struct StoreFinding: Sendable, Equatable {
    /// Whether the examined part is set up well, and if not, whether the store works all the same.
    public enum Verdict: Sendable, Equatable {
        /// The store is set up well, and nothing has to be changed.
        case good
        /// The store works, but should be set up differently.
        case warning
        /// The store does not work until the problem is corrected.
        case bad
    }

    package let subject: String
    package let verdict: Verdict
    package let detail: String
    package let fix: String?

    /// Makes a finding.
    /// - Parameters:
    ///   - verdict: whether the aspect is set up well.
    ///   - subject: the examined aspect of the server in a word or two, such as `clock` or `tables`.
    ///   - detail: the state of the aspect in words, such as "they have no version".
    ///   - fix: how to correct the problem; `nil` when there is nothing to do.
    public init(_ verdict: Verdict, _ subject: String, _ detail: String, fix: String? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.detail = detail
        self.fix = fix
    }
}

/// The clock and the environment variables for opening a store.
public struct StoreContext: Sendable {
    public var time: TimeSource
    /// The environment variables; `nil` for those of this process, which are read anew each time.
    let variables: [String: String]?

    public init(time: TimeSource = .system) {
        self.init(time: time, variables: nil)
    }

    /// A context for an environment other than that of the process.
    package init(time: TimeSource, variables: [String: String]?) {
        self.time = time
        self.variables = variables
    }

    @Sendable package func variable(_ name: String) -> String? {
        guard let variables else { return ProcessVariables.value(of: name) }
        return variables[name]
    }

    /// Folder that `~` means in the paths of a configuration.
    var home: String { StorePath.home(variable) }
}

extension StoreContext: Reticent {
    /// Shows the names of the variables, but not their values.
    package var shown: KeyValuePairs<String, Any> { ["time": time, "variables": (variables ?? [:]).namesAlone] }
}

/// The store types of an app: `memory`, `file` and `keychain`, and those that are registered.
package struct StoreRegistry: Sendable {
    private struct Entry: Sendable {
        let open: @Sendable (StoreConfiguration, StoreContext) throws -> any TokenStore
        let check: @Sendable (StoreConfiguration, StoreContext) throws -> Void
        let place: @Sendable (StoreConfiguration, StoreContext) throws -> String
        let migrate: @Sendable (StoreConfiguration, StoreContext) async throws -> Void
        let migration: @Sendable (StoreConfiguration) throws -> String?
        let examine: @Sendable (StoreConfiguration, StoreContext) async throws -> [StoreFinding]
        let schema: @Sendable () -> JSONValue
        let descriptions: @Sendable () -> [SettingDescription]
        let read: @Sendable (StoreConfiguration) throws -> any Sendable
    }

    private var entries: [String: Entry] = [:]

    static let builtIn: [any StorePlugin.Type] = [
        MemoryStorePlugin.self, FileStorePlugin.self, KeychainStorePlugin.self,
    ]

    package init(_ plugins: [any StorePlugin.Type] = []) {
        for plugin in Self.builtIn + plugins { register(plugin) }
    }

    /// Makes a store type available. A later registration of the same name replaces the earlier one.
    package mutating func register<Plugin: StorePlugin>(_ plugin: Plugin.Type) {
        entries[Plugin.type] = Entry(
            open: { try Plugin.openStore(settings: $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            check: { try Plugin.check(settings: $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            place: { Plugin.place(of: try $0.decoded(as: Plugin.Settings.self, $1)) },
            migrate: { try await Plugin.migrate(settings: $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            migration: { Plugin.migration(settings: try $0.decoded(as: Plugin.Settings.self)) },
            examine: { await Plugin.examine(settings: try $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            schema: { SchemaTracer.schema(of: Plugin.Settings.self, acceptsReferences: true) },
            descriptions: { SchemaTracer.descriptions(of: Plugin.Settings.self) },
            read: { try $0.decoded(as: Plugin.Settings.self) })
    }

    /// The names of all types: the built-in ones, then the others in alphabetical order.
    package var types: [String] {
        let first = Self.builtIn.map { $0.type }
        return first + entries.keys.filter { !first.contains($0) }.sorted()
    }

    /// Opens a store of a built-in or registered type.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``ConfigurationError`` for an unknown type or invalid settings, and
    ///   other errors of the ``StorePlugin``.
    package func open(
        _ configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) throws -> any TokenStore {
        try entry(of: configuration).open(configuration, context)
    }

    /// Checks that a store can be opened on this system, without writing or connecting to a server.
    /// - Throws: as ``open(_:in:)``.
    package func check(_ configuration: StoreConfiguration, in context: StoreContext = StoreContext()) throws {
        try entry(of: configuration).check(configuration, context)
    }

    /// Describes to a person where the sessions are kept, without secrets.
    /// - Throws: ``ConfigurationError``.
    package func place(
        of configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) throws -> String {
        try entry(of: configuration).place(configuration, context)
    }

    /// Creates what the store needs, such as tables, or updates what an earlier version created. Most types need
    /// nothing.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``ConfigurationError``.
    package func migrate(
        _ configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) async throws {
        try await entry(of: configuration).migrate(configuration, context)
    }

    /// The statements that ``migrate(_:in:)`` executes, in the server's language; `nil` when there is nothing to do.
    /// - Throws: ``ConfigurationError``.
    package func migration(of configuration: StoreConfiguration) throws -> String? {
        try entry(of: configuration).migration(configuration)
    }

    /// Examines the store's server without changing anything. There are no findings for a type without a server.
    /// - Throws: ``ConfigurationError``.
    package func examine(
        _ configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) async throws -> [StoreFinding] {
        try await entry(of: configuration).examine(configuration, context)
    }

    /// The JSON Schema of the settings of each type.
    var schemas: [(type: String, schema: JSONValue)] { types.map { ($0, entries[$0]?.schema() ?? [:]) } }

    /// The settings of the configuration, decoded as the ``StorePlugin/Settings`` of its type.
    /// - Throws: ``ConfigurationError``.
    package func settings(of configuration: StoreConfiguration) throws -> any Sendable {
        try entry(of: configuration).read(configuration)
    }

    func descriptions(of type: String) -> [SettingDescription] { entries[type]?.descriptions() ?? [] }

    private func entry(of configuration: StoreConfiguration) throws -> Entry {
        guard let entry = entries[configuration.type] else { throw configuration.unknownType(among: types) }
        return entry
    }
}
