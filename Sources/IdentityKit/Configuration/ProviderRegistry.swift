/// The provider types, presets and store types that a configuration of an app may name.
///
/// ```swift
/// let registry = ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self])
/// ```
public struct ProviderRegistry: Sendable {
    private struct Entry: Sendable {
        let plugin: any ProviderPlugin.Type
        let build: @Sendable (JSONValue, String, Set<String>, String?, ProviderContext) throws -> any IdentityProvider
        let schema: @Sendable () -> JSONValue
        let descriptions: @Sendable () -> [SettingDescription]
        let read: @Sendable (JSONValue, String?) throws -> any Sendable
    }

    /// The registry of store types. The store types of this module need no registration.
    package var stores = StoreRegistry()

    private var entries: [String: Entry] = [:]
    /// The keys of ``entries`` in the order of their last registration.
    private var order: [String] = []
    private var presetsByType: [String: ProviderPreset] = [:]

    public init(_ plugins: [any ProviderPlugin.Type] = []) {
        for plugin in plugins { register(plugin) }
    }

    /// The plug-ins of this module: a token in the settings, a token in an environment variable, the sessions of another
    /// program, and anonymous accounts.
    public static let corePlugins: [any ProviderPlugin.Type] = [
        StaticTokenPlugin.self, EnvironmentTokenPlugin.self, StoredAccountPlugin.self, AnonymousPlugin.self,
    ]

    /// Makes a provider type available to configurations. A registered type or preset of the same name is replaced.
    public mutating func register<Plugin: ProviderPlugin>(_ plugin: Plugin.Type) {
        presetsByType[Plugin.type] = nil
        order = order.filter { $0 != Plugin.type } + [Plugin.type]
        entries[Plugin.type] = Entry(
            plugin: plugin,
            build: { settings, keyPath, texts, folder, context in
                let settings = try SettingsDecoder.decode(
                    Plugin.Settings.self, from: settings, at: keyPath, texts: texts, folder: folder,
                    home: context.environment.givenHome)
                do {
                    return try Plugin.makeProvider(settings: settings, context: context)
                } catch let error as TrustedCertificatesError {
                    throw ConfigurationError.invalidValue(
                        keyPath: SettingsNode.join(keyPath, "trustedCertificates"), reason: error.message)
                }
            },
            schema: { SchemaTracer.schema(of: Plugin.Settings.self, acceptsReferences: true) },
            descriptions: { SchemaTracer.descriptions(of: Plugin.Settings.self) },
            read: { try SettingsDecoder.decode(Plugin.Settings.self, from: $0, at: "settings", folder: $1) })
    }

    /// Makes presets available to configurations as provider types, each only while its base type is registered. A
    /// registered preset of the same name is replaced. A preset takes precedence over a plug-in of the same name, unless
    /// the plug-in is registered later.
    ///
    /// The base type makes the provider, from the settings of the preset with those of the configuration merged over them.
    /// Objects, such as `endpoints` or `authorizationParameters`, are merged member by member, and `null` removes a setting
    /// of the preset. Values of parameters are refused if they have characters that could change another component of
    /// an address.
    ///
    /// A provider's sessions belong to the base type, not to the preset.
    /// - Parameter presets: the presets, such as those of the library `IdentityPresets`.
    public mutating func register(_ presets: [ProviderPreset]) {
        for preset in presets { presetsByType[preset.type] = preset }
    }

    /// Makes a store type available to configurations. A registered store type of the same name is replaced.
    public mutating func register<Plugin: StorePlugin>(_ plugin: Plugin.Type) { stores.register(plugin) }

    /// Opens a store of a registered type, or of `memory`, `file` and `keychain`, which need no registration.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``ConfigurationError`` for an unknown type or invalid settings, and
    ///   other errors of the ``StorePlugin``.
    public func openStore(
        _ configuration: StoreConfiguration, time: TimeSource = .system
    ) throws -> any TokenStore {
        try stores.open(configuration, in: StoreContext(time: time))
    }

    /// Creates what the store needs, such as tables, or updates what an earlier version created. Most types need
    /// nothing.
    /// - Throws: ``/IdentityCore/TokenStoreError``, ``ConfigurationError``.
    public func migrateStore(_ configuration: StoreConfiguration, time: TimeSource = .system) async throws {
        try await stores.migrate(configuration, in: StoreContext(time: time))
    }

    /// The registered presets whose base type is registered too, sorted by type.
    package var presets: [ProviderPreset] {
        presetsByType.keys.compactMap(preset(of:)).sorted { $0.type < $1.type }
    }

    /// The names of the store types: `memory`, `file` and `keychain`, then the registered ones, sorted.
    package var storeTypes: [String] { stores.types }

    /// The names of the registered types, and of the registered presets whose base type is registered too, sorted.
    public var types: [String] { Set(entries.keys).union(presets.map(\.type)).sorted() }

    /// The plug-ins in the reverse order of their registration.
    package var plugins: [any ProviderPlugin.Type] { order.reversed().compactMap { entries[$0]?.plugin } }

    /// The plug-in that is registered as `type`; `nil` for a preset, and for an unknown type.
    package func plugin(of type: String) -> (any ProviderPlugin.Type)? {
        preset(of: type) == nil ? entries[type]?.plugin : nil
    }

    /// The plug-in of `type`, or for a preset the plug-in of its base type; `nil` for an unknown type.
    package func base(of type: String) -> (any ProviderPlugin.Type)? { entry(of: type)?.plugin }

    /// The preset that is registered as `type`; `nil` for the type of a plug-in, for an unknown type, and while the base type
    /// of the preset is not registered.
    package func preset(of type: String) -> ProviderPreset? {
        presetsByType[type].flatMap { entries[$0.base] == nil ? nil : $0 }
    }

    /// The entry of the plug-in `type`, or for a preset the entry of its base type; `nil` for an unknown type.
    private func entry(of type: String) -> Entry? { entries[preset(of: type)?.base ?? type] }

    /// The type that has `name` among its alternative names, such as the host of a vendor; `nil` when there is none. Case
    /// is ignored. Presets take precedence over plug-ins.
    package func type(called name: String) -> String? {
        let name = name.lowercased()
        return presets.first { $0.otherNames.contains(name) }?.type
            ?? plugins.first { $0.setup.otherNames.contains(name) }?.type
    }

    /// The JSON Schemas of the settings of all types, sorted by type. The schema of a preset refers to the schema of the
    /// base type, which is in `definitions`. The keys of `definitions` are the names in `$defs`.
    var settingsSchemas: (types: [(type: String, schema: JSONValue)], definitions: [String: JSONValue]) {
        var schemas = entries.mapValues { $0.schema() }
        let bases = schemas
        var definitions: [String: JSONValue] = [:]
        for preset in presets {
            guard let base = bases[preset.base] else { continue }
            let name = "\(preset.base)-of-presets"
            definitions[name] = base.withoutRequirements
            schemas[preset.type] = preset.schema(of: base, at: "#/$defs/\(name)")
        }
        return (schemas.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, definitions)
    }

    /// The JSON Schema of the settings of `type`, or for a preset that of its base type; `nil` for an unknown type.
    func settingsSchema(of type: String) -> JSONValue? { entry(of: type)?.schema() }

    /// The settings of the provider type or the store type `type`, or for a preset those of its base type; empty for an
    /// unknown type.
    package func descriptions(of type: String) -> [SettingDescription] {
        entry(of: type)?.descriptions() ?? stores.descriptions(of: type)
    }

    /// Decodes settings as those of a provider in a configuration, without making the provider.
    /// - Parameters:
    ///   - settings: the settings, without references to variables.
    ///   - type: the name of a plug-in's type or of a preset.
    ///   - folder: the folder of relative paths; `nil` for the working directory.
    /// - Returns: the ``ProviderPlugin/Settings``, for a preset those of its base type; `nil` for an unknown type.
    /// - Throws: ``ConfigurationError``.
    package func read(_ settings: JSONValue, of type: String, folder: String? = nil) throws -> (any Sendable)? {
        let whole = try expanded(ProviderConfiguration(name: "", type: type, settings: settings))
        return try entries[whole.type]?.read(whole.settings, folder)
    }

    /// Returns `provider` with the base type in place of its preset. The settings of the result are those of the preset,
    /// with the settings of `provider` merged over them. A provider without a preset is returned unchanged.
    /// - Throws: ``ConfigurationError`` for invalid parameters, also for a parameter whose value is a reference to a
    ///   variable.
    package func expanded(_ provider: ProviderConfiguration) throws -> ProviderConfiguration {
        guard let preset = preset(of: provider.type) else { return provider }
        var provider = provider
        provider.type = preset.base
        provider.settings = try preset.settings(with: provider.settings, at: "settings")
        return provider
    }

    /// Makes the chain of a configuration. The chain keeps the chosen account in the environment's store.
    /// - Parameters:
    ///   - configuration: the providers in their order, the profile and the policies.
    ///   - environment: the services that the providers share.
    ///   - override: the providers that take part; `nil` for those that the variable `SWIFT_IDENTITY_PROVIDER` selects, or
    ///     all without the variable.
    ///   - requiresProviderVariable: whether it is an error when neither `override` nor the variable is given.
    /// - Throws: ``ConfigurationError``, a provider's error about its settings, or an error with one of these codes:
    ///   `ambiguous_chain` when two providers share a realm, which is the provider's name in its accounts' identifiers;
    ///   `unknown_provider` when the override names a provider that is not configured; `provider_variable_missing` when
    ///   `requiresProviderVariable` is `true`, and neither `override` nor the variable is given.
    package func makeChain(
        for configuration: IdentityConfiguration, environment: IdentityEnvironment,
        override: ProviderOverride? = nil, requiresProviderVariable: Bool = false
    ) throws -> IdentityProviderChain {
        let providers = try makeProviders(for: configuration, environment: environment)
        return try makeChain(
            for: configuration, of: providers, environment: environment, override: override,
            requiresProviderVariable: requiresProviderVariable)
    }

    /// Makes the providers of a configuration.
    /// - Parameters:
    ///   - configuration: the configurations of the providers.
    ///   - environment: the services that the providers share.
    ///   - built: existing providers, reused when their configuration is the same.
    ///   - toleratesMissingVariables: whether an ``UnmadeProvider`` takes the place of a provider whose settings refer
    ///     to a variable that is not set. If no provider at all can be made, the error is thrown nevertheless.
    /// - Throws: ``ConfigurationError``, or a provider's error about its settings.
    package func makeProviders(
        for configuration: IdentityConfiguration, environment: IdentityEnvironment,
        reusing built: [ProviderConfiguration: any IdentityProvider] = [:], toleratesMissingVariables: Bool = false
    ) throws -> [ProviderConfiguration: any IdentityProvider] {
        var providers: [ProviderConfiguration: any IdentityProvider] = [:]
        for (index, provider) in configuration.providers.enumerated() {
            let place = configuration.keyPath(of: "providers[\(index)]")
            do {
                providers[provider] =
                    try built[provider]
                    ?? make(provider, at: place, in: configuration.folder, environment: environment)
            } catch let error as ConfigurationError {
                let located = configuration.source.locating(error)
                guard toleratesMissingVariables, case .missingVariable = error else { throw located }
                providers[provider] = UnmadeProvider(realms: [provider.name], error: located)
            }
        }
        let unmade = configuration.providers.compactMap { (providers[$0] as? UnmadeProvider)?.error }
        if let error = unmade.first, unmade.count == configuration.providers.count { throw error }
        return providers
    }

    /// Makes the chain of a configuration, and registers its providers in the environment's ``ProviderDirectory``. If the
    /// chain cannot be made, the directory keeps the former providers.
    func makeChain(
        for configuration: IdentityConfiguration, of providers: [ProviderConfiguration: any IdentityProvider],
        environment: IdentityEnvironment, override: ProviderOverride?, requiresProviderVariable: Bool
    ) throws -> IdentityProviderChain {
        let links = configuration.providers.compactMap { provider in
            providers[provider].map { provider.link(to: $0) }
        }
        let override =
            try override
            ?? .environment(
                environment.variables, known: links.map(\.name), isRequired: requiresProviderVariable)
        let chain = try IdentityProviderChain(
            links, store: environment.store, profile: configuration.profile, override: override,
            onSessionEnd: configuration.onSessionEnd, time: environment.time, observers: environment.observers)
        for provider in configuration.providers {
            environment.providers.register(providers[provider], as: provider.name)
        }
        return chain
    }

    private func make(
        _ provider: ProviderConfiguration, at keyPath: String, in folder: String?, environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        let (type, preset) = (provider.type, preset(of: provider.type))
        guard let entry = entry(of: type) else {
            if let preset = presetsByType[type] {
                throw ConfigurationError.invalidValue(
                    keyPath: "\(keyPath).type",
                    reason: "\"\(type)\" is a preset of the provider type \"\(preset.base)\", which this program does "
                        + "not know. Whoever builds the program can register \"\(preset.base)\" too.")
            }
            throw ConfigurationError.unknownProviderType(
                keyPath: "\(keyPath).type", type: type, registered: types, meant: self.type(called: type))
        }
        let settings = try EnvironmentReferences(environment.variables)
            .resolve(provider.settings, at: "\(keyPath).settings")
        let context = ProviderContext(name: provider.name, environment: environment)
        let place = "\(keyPath).settings"
        do {
            let whole = try preset?.settings(with: settings.value, at: place) ?? settings.value
            return try entry.build(whole, place, settings.texts, folder, context)
        } catch {
            let named = (error as? ConfigurationError).flatMap { preset?.naming($0, at: place) }
            throw settings.hidingValues(in: named ?? error, at: place)
        }
    }
}
