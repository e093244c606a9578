/// A provider type for configurations: its name, its settings, and how to make a provider.
///
/// Settings are decoded strictly: an unknown key or a wrong value is an error with the key path.
public protocol ProviderPlugin: SendableMetatype {
    /// The settings of the provider.
    associatedtype Settings: Decodable & Sendable
    /// The type's name in a configuration, such as `thunderid`.
    static var type: String { get }
    /// Builds a provider.
    /// - Throws: when the settings cannot work.
    static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider
}

/// What an app passes to a provider.
public struct ProviderContext: Sendable {
    /// The provider's name in the configuration, which is the realm of its accounts.
    public var name: String
    /// What all providers of an app share.
    public var environment: IdentityEnvironment

    /// A context.
    public init(name: String, environment: IdentityEnvironment) {
        self.name = name
        self.environment = environment
    }

    /// The context with a transport that also trusts `certificates`, the setting `trustedCertificates` of a provider. An
    /// app's own ``HTTPTransport`` stays as it is.
    /// - Throws: ``TrustedCertificatesError`` where they cannot be added.
    public func trusting(_ certificates: TrustedCertificates?) throws(TrustedCertificatesError) -> ProviderContext {
        var context = self
        context.environment = try environment.trusting(certificates)
        return context
    }
}
