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

    /// Alternative names for the type, in lower case, for suggestions.
    static var otherNames: Set<String> { get }
    /// The setting that contains the server's address, for which `identity init` asks; `nil` for a type without such a
    /// setting.
    static var addressSetting: String? { get }
    /// The setting that contains the address of the resource for which the provider gets tokens; `nil` for a type without
    /// such a setting. Requests to this address and everything below it are sent as an account of the provider.
    static var destinationSetting: String? { get }
    /// The documents that `identity init` requests from an unknown server, to pass them to ``recognize(_:)``.
    static var published: [PublishedDocument] { get }
    /// Recognizes a server of this type by its published documents, for `identity init`. If several types recognize a
    /// server, `identity init` uses the type that was registered last.
    /// - Parameter documents: the documents in ``published`` that the server has.
    /// - Returns: the settings that follow from the documents; `nil` for a server of another type.
    static func recognize(_ documents: PublishedDocuments) -> Recognition?
    /// The questions that `identity init` asks in this order. A question is skipped if its setting is already known.
    static var questions: [SettingQuestion] { get }
    /// The questions for a preset of this type, by default one for each setting in `ProviderPreset.needs`. The caller
    /// skips those that `settings` answer.
    static func questions(for preset: ProviderPreset, beside settings: [String: JSONValue]) -> [SettingQuestion]
    /// Returns `settings` with defaults for programs at a terminal, such as a redirect URI on this machine.
    static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue]
    /// The settings that a requested sign-in requires. If the provider is configured, they override the configured settings
    /// of the same names.
    /// - Returns: `nil` when no provider of this type supports such a sign-in.
    static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]?
    /// The failure codes, in lower case, of definitive errors that mean that the server refused a sign-in. Commands end
    /// with a separate exit status for these codes and those of OAuth and OpenID Connect.
    static var refusals: Set<String> { get }
    /// The names of the modules that contain the plug-in. `identity plugin new` refuses these names for a new plug-in.
    static var modules: Set<String> { get }
}

/// A special kind of sign-in that a person requests with an option or an argument of a command.
public enum RequestedSignIn: Hashable, Sendable {
    /// Signs in on another device, on which the person enters a code or opens a link.
    case onAnotherDevice
    /// Signs in to the protected resource at an address, without a configuration of its provider.
    case toResource(URL)
}

extension ProviderPlugin {
    public static var otherNames: Set<String> { [] }
    public static var addressSetting: String? { nil }
    public static var destinationSetting: String? { nil }
    /// Returns no documents, so that no server is recognized.
    public static var published: [PublishedDocument] { [] }
    /// Returns `nil` for all documents, so that the type recognizes no server.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? { nil }
    public static var questions: [SettingQuestion] { [] }
    /// Returns a question for each setting in `ProviderPreset.needs`, with the description of the setting.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.needs.map { SettingQuestion($0, describedBy: Settings.self) }
    }
    /// Returns `settings` unchanged.
    public static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue] { settings }
    /// Returns `nil`, because the type supports no requested sign-in.
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? { nil }
    /// Returns no codes, so that only those of OAuth and OpenID Connect count as refusals.
    public static var refusals: Set<String> { [] }
    /// Returns the name of the module that declares the plug-in.
    public static var modules: Set<String> { [String(String(reflecting: Self.self).prefix { $0 != "." })] }
}

/// The name of a provider and the services of the app, with which a ``ProviderPlugin`` makes the provider.
public struct ProviderContext: Sendable {
    /// The provider's name in the configuration, which is the realm of its accounts.
    public var name: String
    /// The services that the providers of an app share, such as the store and the transport.
    public var environment: IdentityEnvironment

    public init(name: String, environment: IdentityEnvironment) {
        self.name = name
        self.environment = environment
    }

    /// Returns the context with a transport that also trusts a server whose certificate is one of `certificates` or was
    /// issued by one of them. Without certificates, and with an app's own ``HTTPTransport``, the context stays
    /// unchanged.
    /// - Parameter certificates: usually the setting `trustedCertificates` of the provider.
    /// - Throws: an error with the code `trusted_certificates_unsupported` if the transport cannot use added
    ///   certificates, or `certificate_invalid` if it cannot read one.
    public func trusting(_ certificates: TrustedCertificates?) throws -> ProviderContext {
        var context = self
        context.environment = try environment.trusting(certificates)
        return context
    }
}
