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

    /// The same with a transport that also trusts `certificates`, the setting `trustedCertificates` of a provider.
    ///
    /// An ``HTTPTransport`` of the app's own stays as it is: whom it trusts is its decision.
    /// - Throws: ``TrustedCertificatesError`` where they cannot be added.
    public func trusting(_ certificates: TrustedCertificates?) throws(TrustedCertificatesError) -> ProviderContext {
        guard let certificates, let transport = environment.transport as? any TrustingTransport else { return self }
        var context = self
        context.environment.transport = try transport.trusting(certificates)
        return context
    }
}
