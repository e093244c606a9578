/// The provider types of an app.
///
/// ```swift
/// let registry = ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self])
/// ```
public struct ProviderRegistry: Sendable {
    private struct Entry: Sendable {
        let build: @Sendable (JSONValue, String, Set<String>, String?, ProviderContext) throws -> any IdentityProvider
        let schema: @Sendable () -> JSONValue
    }

    private var entries: [String: Entry] = [:]

    /// Registers `plugins`.
    public init(_ plugins: [any ProviderPlugin.Type] = []) {
        for plugin in plugins { register(plugin) }
    }

    /// The plug-ins of the core: a given token, a token from the environment, another program's sessions, and guests.
    public static let corePlugins: [any ProviderPlugin.Type] = [
        StaticTokenPlugin.self, EnvironmentTokenPlugin.self, StoredAccountPlugin.self, AnonymousPlugin.self,
    ]

    /// Makes a provider type available. A later registration of the same name replaces the earlier one.
    public mutating func register<Plugin: ProviderPlugin>(_ plugin: Plugin.Type) {
        entries[Plugin.type] = Entry(
            build: { settings, keyPath, texts, folder, context in
                let settings = try SettingsDecoder.decode(
                    Plugin.Settings.self, from: settings, at: keyPath, texts: texts, folder: folder)
                return try Plugin.makeProvider(settings: settings, context: context)
            },
            schema: { SchemaTracer.schema(of: Plugin.Settings.self, acceptsReferences: true) })
    }

    /// The registered type names.
    public var types: [String] { entries.keys.sorted() }

    /// The JSON Schema of the settings of each registered type.
    var settingsSchemas: [(type: String, schema: JSONValue)] {
        entries.sorted { $0.key < $1.key }.map { ($0.key, $0.value.schema()) }
    }

    /// Makes the chain of a configuration. Its choice is kept in the environment's store.
    /// - Parameters:
    ///   - configuration: the providers and their order.
    ///   - environment: what they share.
    ///   - override: which of them take part; by default what `SWIFT_IDENTITY_PROVIDER` says.
    ///   - requiresProviderVariable: whether it is an error when neither is given.
    ///   - observe: receives the events of the chain.
    /// - Throws: ``ConfigurationError``, ``ChainUsageError``, or a provider's error about its settings.
    public func makeChain(
        for configuration: IdentityConfiguration, environment: IdentityEnvironment,
        override: ProviderOverride? = nil, requiresProviderVariable: Bool = false,
        observe: @escaping @Sendable (ChainEvent) -> Void = { _ in }
    ) throws -> IdentityProviderChain {
        let providers = try makeProviders(for: configuration, environment: environment)
        return try makeChain(
            for: configuration, of: providers, environment: environment, override: override,
            requiresProviderVariable: requiresProviderVariable, observe: observe)
    }

    /// Makes the providers of a configuration.
    /// - Parameter built: existing providers, used where the configuration is the same.
    func makeProviders(
        for configuration: IdentityConfiguration, environment: IdentityEnvironment,
        reusing built: [ProviderConfiguration: any IdentityProvider] = [:]
    ) throws -> [ProviderConfiguration: any IdentityProvider] {
        var providers: [ProviderConfiguration: any IdentityProvider] = [:]
        for (index, provider) in configuration.providers.enumerated() {
            providers[provider] =
                try built[provider]
                ?? make(
                    provider, at: configuration.keyPath(of: "providers[\(index)]"), in: configuration.folder,
                    environment: environment)
        }
        return providers
    }

    /// Makes the chain of the providers of a configuration.
    func makeChain(
        for configuration: IdentityConfiguration, of providers: [ProviderConfiguration: any IdentityProvider],
        environment: IdentityEnvironment, override: ProviderOverride?, requiresProviderVariable: Bool,
        observe: @escaping @Sendable (ChainEvent) -> Void
    ) throws -> IdentityProviderChain {
        let links = configuration.providers.compactMap { provider in
            providers[provider].map { provider.link(to: $0) }
        }
        let override =
            try override
            ?? .environment(
                environment.variables, known: links.map(\.name), isRequired: requiresProviderVariable)
        return try IdentityProviderChain(
            links,
            options: IdentityProviderChain.Options(
                store: environment.store, profile: configuration.profile, override: override,
                onSessionEnd: configuration.onSessionEnd, time: environment.time, observers: environment.observers),
            observe: observe)
    }

    private func make(
        _ provider: ProviderConfiguration, at keyPath: String, in folder: String?, environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        guard let entry = entries[provider.type] else {
            throw ConfigurationError.unknownProviderType(
                keyPath: "\(keyPath).type", type: provider.type, registered: types)
        }
        let settings = try EnvironmentReferences(environment.variables)
            .resolve(provider.settings, at: "\(keyPath).settings")
        let context = ProviderContext(name: provider.name, environment: environment)
        do {
            return try entry.build(settings.value, "\(keyPath).settings", settings.texts, folder, context)
        } catch let error as ConfigurationError {
            throw settings.hidingValues(in: error)
        }
    }
}
