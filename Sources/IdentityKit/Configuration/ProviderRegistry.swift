/// A kind of provider that a configuration can name: a type name, typed settings, and how to build one.
///
/// This is all a plug-in has to offer. Settings are decoded strictly: an unknown key or a wrong value is an error that
/// names the key path, without any code in the plug-in.
public protocol ProviderPlugin: SendableMetatype {
    /// What the provider needs to know.
    associatedtype Settings: Decodable & Sendable
    /// The name under which a configuration asks for it, such as `thunderid`.
    static var type: String { get }
    /// Builds a provider.
    /// - Throws: when the settings cannot work.
    static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider
}

/// What a provider gets from the app around it.
public struct ProviderContext: Sendable {
    /// The provider's name in the configuration, the realm of its accounts.
    public var name: String
    /// What all providers of an app share.
    public var environment: IdentityEnvironment

    /// A context.
    public init(name: String, environment: IdentityEnvironment) {
        self.name = name
        self.environment = environment
    }
}

/// What all providers of an app share: the store, the network, the means to show something, time and randomness.
public struct IdentityEnvironment: Sendable {
    /// The shared token store.
    public var store: any TokenStore
    /// How requests are sent.
    public var transport: any HTTPTransport
    /// Asks the user for input; `nil` where nobody can be asked.
    public var prompter: (any FlowPrompter)?
    /// Opens sign-in pages; `nil` where there is no browser.
    public var webAuthenticator: (any WebAuthenticator)?
    /// Shows codes for another device; `nil` where nothing can be shown.
    public var deviceCodePresenter: (any DeviceCodePresenter)?
    /// The clock.
    public var time: TimeSource
    /// The source of unpredictable bytes.
    public var random: RandomSource

    /// An environment.
    public init(
        store: any TokenStore, transport: any HTTPTransport = URLSessionTransport(),
        prompter: (any FlowPrompter)? = nil, webAuthenticator: (any WebAuthenticator)? = nil,
        deviceCodePresenter: (any DeviceCodePresenter)? = nil,
        time: TimeSource = .system, random: RandomSource = .system
    ) {
        self.store = store
        self.transport = transport
        self.prompter = prompter
        self.webAuthenticator = webAuthenticator
        self.deviceCodePresenter = deviceCodePresenter
        self.time = time
        self.random = random
    }
}

/// The provider types an app knows.
///
/// ```swift
/// let registry = ProviderRegistry([ThunderIDPlugin.self, InsForgePlugin.self])
/// ```
public struct ProviderRegistry: Sendable {
    private typealias Build = @Sendable (JSONValue, String, ProviderContext) throws -> any IdentityProvider

    private var builders: [String: Build] = [:]

    /// Registers `plugins`.
    public init(_ plugins: [any ProviderPlugin.Type] = []) {
        for plugin in plugins { register(plugin) }
    }

    /// Makes a provider type available. A later registration of the same name replaces the earlier one.
    public mutating func register<Plugin: ProviderPlugin>(_ plugin: Plugin.Type) {
        builders[Plugin.type] = { settings, keyPath, context in
            let settings = try SettingsDecoder.decode(Plugin.Settings.self, from: settings, at: keyPath)
            return try Plugin.makeProvider(settings: settings, context: context)
        }
    }

    /// The registered type names.
    public var types: [String] { builders.keys.sorted() }

    /// Builds the chain a configuration describes.
    /// - Parameters:
    ///   - configuration: the providers and their order.
    ///   - environment: what they share.
    ///   - observe: is told of every attempt of the chain.
    /// - Throws: ``ConfigurationError``, or what a provider says of its settings.
    public func makeChain(
        for configuration: IdentityConfiguration, environment: IdentityEnvironment,
        observe: @escaping @Sendable (ChainEvent) -> Void = { _ in }
    ) throws -> IdentityProviderChain {
        let links = try configuration.providers.enumerated().map { index, provider in
            guard let build = builders[provider.type] else {
                throw ConfigurationError.unknownProviderType(
                    keyPath: "providers[\(index)].type", type: provider.type, registered: types)
            }
            let context = ProviderContext(name: provider.name, environment: environment)
            return IdentityProviderChain.Link(
                provider.name, try build(provider.settings, "providers[\(index)].settings", context))
        }
        return try IdentityProviderChain(links, observe: observe)
    }
}
