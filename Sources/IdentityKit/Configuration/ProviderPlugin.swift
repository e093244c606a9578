import Foundation

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

    /// Alternative names for the type, in lower case, for suggestions.
    static var otherNames: Set<String> { get }
    /// The setting that contains the server's address; `nil` for a type without one.
    static var addressSetting: String? { get }
    /// The setting that contains the only address to which tokens are sent, including everything below it; `nil` for a
    /// type without one.
    static var destinationSetting: String? { get }
    /// The documents by which servers of this type are recognized.
    static var published: [PublishedDocument] { get }
    /// Recognizes a server of this type by its published documents, for `identity init`. If several types recognize a
    /// server, the one that was registered last is used.
    /// - Parameter documents: the documents in ``published`` that the server has.
    /// - Returns: `nil` for a server of another type.
    static func recognize(_ documents: PublishedDocuments) -> Recognition?
    /// The questions of `identity init` in order. A question is skipped if its setting is given.
    static var questions: [SettingQuestion] { get }
    /// The questions for a preset of this type, by default one for each setting in `ProviderPreset.needs` that
    /// `settings` lacks.
    static func questions(for preset: ProviderPreset, beside settings: [String: JSONValue]) -> [SettingQuestion]
    /// `settings` with additions for programs at a terminal that are the same everywhere, such as a redirect URI on
    /// this machine.
    static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue]
    /// The settings for a sign-in that a command asks for, instead of those of the configuration.
    /// - Returns: `nil` when no provider of this type can.
    static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]?
    /// The lower-case codes of definitive errors with which servers refuse a sign-in. A command ends with a separate
    /// exit status for them.
    static var refusals: Set<String> { get }
    /// The modules of the package, whose names a new plug-in's module must not have.
    static var modules: Set<String> { get }
}

/// A sign-in that the person who runs a command asks for.
public enum RequestedSignIn: Hashable, Sendable {
    /// Signs in on another device, with a code.
    case onAnotherDevice
    /// Signs in to a protected resource of which only the address is known.
    case toResource(URL)
}

extension ProviderPlugin {
    public static var otherNames: Set<String> { [] }
    public static var addressSetting: String? { nil }
    public static var destinationSetting: String? { nil }
    /// Returns no documents, so that no server is recognized.
    public static var published: [PublishedDocument] { [] }
    /// Returns `nil`, because no server is recognized.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? { nil }
    public static var questions: [SettingQuestion] { [] }
    /// A question for each needed setting, with the words of its description.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.needs.map { SettingQuestion($0, describedBy: Settings.self) }
    }
    /// Returns `settings` unchanged.
    public static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue] { settings }
    /// Returns `nil`, because no sign-in can be requested.
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? { nil }
    /// Returns no codes besides those of OAuth and OpenID Connect.
    public static var refusals: Set<String> { [] }
    /// Returns the module of the plug-in.
    public static var modules: Set<String> { [String(String(reflecting: Self.self).prefix { $0 != "." })] }
}

/// Arguments that an app passes to a provider.
public struct ProviderContext: Sendable {
    /// The provider's name in the configuration, which is the realm of its accounts.
    public var name: String
    /// Everything that the providers of an app share.
    public var environment: IdentityEnvironment

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
