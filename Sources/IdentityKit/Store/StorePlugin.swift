import IdentityStoreFormat

/// A store type for configurations: its name, its settings, and how to open a store.
///
/// The settings are decoded strictly, as those of a ``ProviderPlugin``: an unknown key is an error.
public protocol StorePlugin: SendableMetatype {
    /// The decoded form of the settings, without `type`.
    associatedtype Settings: Decodable & Sendable
    /// The type's name in a configuration, such as `postgres`.
    static var type: String { get }
    /// Opens the store, without connecting to a server. `identity init` and `identity config check` call this method too, so
    /// write nothing before the first use of the store.
    /// - Throws: an error when the store cannot be opened with these settings.
    static func openStore(settings: Settings, context: StoreContext) throws -> any TokenStore
    /// Creates what the store needs, such as tables, or updates what an earlier version created.
    /// ``ProviderRegistry/migrateStore(_:time:)`` calls this method. Opening a store never does.
    /// - Throws: ``/IdentityCore/TokenStoreError``.
    static func migrate(settings: Settings, context: StoreContext) async throws
}

extension StorePlugin {
    /// Does nothing, for stores that need no preparation.
    /// - Throws: nothing.
    public static func migrate(settings: Settings, context: StoreContext) async throws {}
}

/// A store type that the commands of the program `identity` can also check, describe and examine.
package protocol AdministeredStorePlugin: StorePlugin {
    /// Describes to a person where the sessions are kept, without secrets.
    static func place(of settings: Settings) -> String
    /// Checks that the store can be opened on this system, without writing anything or connecting to a server. The default
    /// opens the store and discards it, for types that write nothing when they open a store.
    /// - Throws: as ``StorePlugin/openStore(settings:context:)``.
    static func check(settings: Settings, context: StoreContext) throws
    /// The statements that ``StorePlugin/migrate(settings:context:)`` executes, for an administrator who executes them by
    /// hand; `nil` when there is nothing to do, as by default.
    static func migration(settings: Settings) -> String?
    /// Examines the store's server for `identity doctor`, without changing anything. By default, there are no findings.
    static func examine(settings: Settings, context: StoreContext) async -> [StoreFinding]
}

extension AdministeredStorePlugin {
    package static func check(settings: Settings, context: StoreContext) throws {
        _ = try openStore(settings: settings, context: context)
    }
    package static func migration(settings: Settings) -> String? { nil }
    package static func examine(settings: Settings, context: StoreContext) async -> [StoreFinding] { [] }

    fileprivate static func place(of store: StoreConfiguration, _ context: StoreContext) throws -> String {
        place(of: try store.decoded(as: Settings.self, context))
    }
    fileprivate static func check(_ store: StoreConfiguration, _ context: StoreContext) throws {
        try check(settings: store.decoded(as: Settings.self, context), context: context)
    }
    fileprivate static func migration(of store: StoreConfiguration) throws -> String? {
        migration(settings: try store.decoded(as: Settings.self))
    }
    fileprivate static func examine(
        _ store: StoreConfiguration, _ context: StoreContext
    ) async throws -> [StoreFinding] {
        await examine(settings: try store.decoded(as: Settings.self, context), context: context)
    }
}

/// A result of examining a store's server.
package struct StoreFinding: Sendable, Equatable {
    /// Whether the examined part is set up well, and if not, whether the store works all the same.
    package enum Verdict: Sendable, Equatable {
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
    package init(_ verdict: Verdict, _ subject: String, _ detail: String, fix: String? = nil) {
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
        let migrate: @Sendable (StoreConfiguration, StoreContext) async throws -> Void
        let schema: @Sendable () -> JSONValue
        let descriptions: @Sendable () -> [SettingDescription]
        let read: @Sendable (StoreConfiguration) throws -> any Sendable
        /// The type for the commands of the program `identity`; `nil` if it is no ``AdministeredStorePlugin``.
        let administered: (any AdministeredStorePlugin.Type)?
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
            migrate: { try await Plugin.migrate(settings: $0.decoded(as: Plugin.Settings.self, $1), context: $1) },
            schema: { SchemaTracer.schema(of: Plugin.Settings.self, acceptsReferences: true) },
            descriptions: { SchemaTracer.descriptions(of: Plugin.Settings.self) },
            read: { try $0.decoded(as: Plugin.Settings.self) },
            administered: plugin as? any AdministeredStorePlugin.Type)
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

    /// Checks that a store can be opened on this system, without connecting to a server. For an
    /// ``AdministeredStorePlugin``, the check writes nothing. A store of any other type is opened and discarded.
    /// - Throws: as ``open(_:in:)``.
    package func check(_ configuration: StoreConfiguration, in context: StoreContext = StoreContext()) throws {
        let entry = try entry(of: configuration)
        guard let plugin = entry.administered else {
            _ = try entry.open(configuration, context)
            return
        }
        try plugin.check(configuration, context)
    }

    /// Describes to a person where the sessions are kept, without secrets; `nil` for a type that is no
    /// ``AdministeredStorePlugin``.
    /// - Throws: ``ConfigurationError``.
    package func place(
        of configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) throws -> String? {
        try entry(of: configuration).administered?.place(of: configuration, context)
    }

    /// Creates what the store needs, such as tables, or updates what an earlier version created. Most types need
    /// nothing.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``ConfigurationError``.
    package func migrate(
        _ configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) async throws {
        try await entry(of: configuration).migrate(configuration, context)
    }

    /// The statements that ``migrate(_:in:)`` executes, such as SQL for a database; `nil` when there is nothing to do.
    /// - Throws: ``ConfigurationError``.
    package func migration(of configuration: StoreConfiguration) throws -> String? {
        try entry(of: configuration).administered?.migration(of: configuration)
    }

    /// Examines the store's server without changing anything. There are no findings for a type without a server.
    /// - Throws: ``ConfigurationError``.
    package func examine(
        _ configuration: StoreConfiguration, in context: StoreContext = StoreContext()
    ) async throws -> [StoreFinding] {
        try await entry(of: configuration).administered?.examine(configuration, context) ?? []
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
