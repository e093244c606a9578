import Foundation

/// A provider type for configurations, which decodes the settings of a provider and makes the provider. An app registers
/// it with a ``ProviderRegistry``.
///
/// Settings are decoded strictly: an unknown key or a wrong value is a ``ConfigurationError`` with the key path.
public protocol ProviderPlugin: SendableMetatype {
    /// The type that decodes `settings` of a provider in a configuration, usually with a ``SettingsReader``.
    associatedtype Settings: Decodable & Sendable
    /// The type's name in a configuration, such as `thunderid`.
    static var type: String { get }
    /// Makes a provider from its settings, in which references to variables have been replaced.
    /// - Throws: any error of the plug-in for settings that it cannot use. The error of
    ///   ``ProviderContext/trusting(_:)`` is converted to a ``ConfigurationError`` about the setting
    ///   `trustedCertificates`.
    static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider

    /// Facts about the type for the tool `identity` and for the choice of an account by a request's address; by default none.
    static var setup: PluginSetup { get }
}

extension ProviderPlugin {
    public static var setup: PluginSetup { PluginSetup() }

    /// Returns the questions for a preset of this type, by default one for each setting in `ProviderPreset.needs` with the
    /// description of the setting. The caller skips those that `settings` answer.
    package static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        setup.questionsForPreset?(preset, settings)
            ?? preset.needs.map { SettingQuestion($0, describedBy: Settings.self) }
    }

    /// The names of the modules that contain the plug-in.
    package static var modules: Set<String> {
        setup.otherModules.union([String(String(reflecting: Self.self).prefix { $0 != "." })])
    }
}

/// The name of a provider and the services of the app, with which a ``ProviderPlugin`` makes the provider.
public struct ProviderContext: Sendable {
    /// The provider's name in the configuration. It is also the realm in the identifiers of the provider's accounts.
    public var name: String
    /// The services that the providers of an app share, such as the store and the transport.
    public var environment: IdentityEnvironment

    public init(name: String, environment: IdentityEnvironment) {
        self.name = name
        self.environment = environment
    }

    /// Returns the context with a transport that also trusts a server whose certificate is one of `certificates` or was
    /// issued by one of them. The context is returned unchanged if `certificates` is `nil`, or if the transport is an
    /// app's own ``HTTPTransport``.
    /// - Parameter certificates: usually the setting `trustedCertificates` of the provider, which an ``IdentityClient``
    ///   trusts also in requests as accounts of the provider.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if the transport cannot use added
    ///   certificates, or `certificate_invalid` if it cannot read one.
    public func trusting(_ certificates: TrustedCertificates?) throws -> ProviderContext {
        var context = self
        context.environment = try environment.trusting(certificates)
        return context
    }
}
