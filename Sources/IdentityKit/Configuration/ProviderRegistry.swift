/// The provider types of an app.
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

    /// The store types, beside those that need no registration.
    public var stores = StoreRegistry()

    private var entries: [String: Entry] = [:]
    /// The types of ``entries`` in the order of their registration.
    private var order: [String] = []
    private var presetsByType: [String: ProviderPreset] = [:]

    public init(_ plugins: [any ProviderPlugin.Type] = []) {
        for plugin in plugins { register(plugin) }
    }

    /// The plug-ins of the core: a given token, a token from the environment, another program's sessions, and guests.
    public static let corePlugins: [any ProviderPlugin.Type] = [
        StaticTokenPlugin.self, EnvironmentTokenPlugin.self, StoredAccountPlugin.self, AnonymousPlugin.self,
    ]

    /// Makes a provider type available. A later registration of the same name replaces the earlier one.
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

    /// Makes presets available as provider types, each while its base type is registered. A later registration of the
    /// same name replaces the earlier one.
    ///
    /// A provider of such a type is made by the base type, from the preset's settings with the configuration's own over
    /// them. Objects, such as `endpoints` or `authorizationParameters`, are merged member by member, and `null` removes
    /// a setting of the preset. The value of a parameter can change only its own part of an address; characters that
    /// could change more are refused.
    ///
    /// A provider's sessions belong to the base type, not to the preset.
    /// - Parameter presets: the presets.
    public mutating func register(_ presets: [ProviderPreset]) {
        for preset in presets { presetsByType[preset.type] = preset }
    }

    /// The registered presets whose base type is registered too, by their types.
    public var presets: [ProviderPreset] {
        presetsByType.values.filter { entries[$0.base] != nil }.sorted { $0.type < $1.type }
    }

    /// The registered type names, those of presets included.
    public var types: [String] { Set(entries.keys).union(presets.map(\.type)).sorted() }

    /// The plug-ins, from the one that was registered last to the first.
    package var plugins: [any ProviderPlugin.Type] { order.reversed().compactMap { entries[$0]?.plugin } }

    /// The plug-in of `type`; `nil` for a preset.
    package func plugin(of type: String) -> (any ProviderPlugin.Type)? {
        presetsByType[type] == nil ? entries[type]?.plugin : nil
    }

    /// The plug-in of `type`, or for a preset the plug-in of its base type.
    package func base(of type: String) -> (any ProviderPlugin.Type)? {
        entries[presetsByType[type]?.base ?? type]?.plugin
    }

    /// The type that is also known as `name`, such as by a vendor's host; `nil` when there is none.
    package func type(called name: String) -> String? {
        let name = name.lowercased()
        return presets.first { $0.otherNames.contains(name) }?.type
            ?? plugins.first { $0.otherNames.contains(name) }?.type
    }

    /// JSON Schemas of the settings of each registered type, and definitions that presets share, by name.
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

    func settingsSchema(of type: String) -> JSONValue? { entries[type]?.schema() }

    package func descriptions(of type: String) -> [SettingDescription] {
        entries[type]?.descriptions() ?? stores.descriptions(of: type)
    }

    /// Decodes the settings of `type` as its plug-in does.
    /// - Throws: ``ConfigurationError``.
    package func read(_ settings: JSONValue, of type: String, folder: String? = nil) throws -> (any Sendable)? {
        try entries[type]?.read(settings, folder)
    }

    /// `provider` with a preset replaced by its base type and all settings. A provider of another type stays as it is.
    /// - Throws: ``ConfigurationError``, also for a parameter whose value is a reference to a variable.
    package func expanded(_ provider: ProviderConfiguration) throws -> ProviderConfiguration {
        guard let preset = presetsByType[provider.type] else { return provider }
        var provider = provider
        provider.type = preset.base
        provider.settings = try preset.settings(with: provider.settings, at: "settings")
        return provider
    }

    /// Makes the chain of a configuration. Its choice is kept in the environment's store.
    /// - Parameters:
    ///   - configuration: the providers and their order.
    ///   - environment: the services that the providers share.
    ///   - override: which of them take part; by default what `SWIFT_IDENTITY_PROVIDER` says.
    ///   - requiresProviderVariable: whether it is an error when neither `override` nor the variable is given.
    /// - Throws: ``ConfigurationError``, ``/IdentityCore/ChainUsageError``, or a provider's error about its settings.
    public func makeChain(
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
    ///   - built: existing providers, reused when their configuration is the same.
    ///   - toleratesMissingVariables: whether an ``UnmadeProvider`` takes the place of a provider whose variable is not
    ///     set, provided that another provider can be made.
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
        for provider in configuration.providers {
            environment.providers.register(providers[provider], as: provider.name)
        }
        let unmade = configuration.providers.compactMap { (providers[$0] as? UnmadeProvider)?.error }
        if let error = unmade.first, unmade.count == configuration.providers.count { throw error }
        return providers
    }

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
        return try IdentityProviderChain(
            links,
            options: IdentityProviderChain.Options(
                store: environment.store, profile: configuration.profile, override: override,
                onSessionEnd: configuration.onSessionEnd, time: environment.time, observers: environment.observers))
    }

    private func make(
        _ provider: ProviderConfiguration, at keyPath: String, in folder: String?, environment: IdentityEnvironment
    ) throws -> any IdentityProvider {
        let preset = presetsByType[provider.type]
        let type = preset?.base ?? provider.type
        guard let entry = entries[type] else {
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
        } catch let error as ConfigurationError {
            throw settings.hidingValues(in: preset?.naming(error, at: place) ?? error)
        }
    }
}
