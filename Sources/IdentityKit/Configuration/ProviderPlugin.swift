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

    /// Other names that people give the type, in lower case, for a suggestion.
    static var otherNames: Set<String> { get }
    /// The setting that holds the server's address; `nil` for a type without one.
    static var addressSetting: String? { get }
    /// The setting that holds the only address that tokens go to, with everything below it; `nil` for a type without one.
    static var destinationSetting: String? { get }
    /// The documents by which a server of this type is recognized.
    static var published: [PublishedDocument] { get }
    /// Recognizes a server of this type by what it publishes, for `identity init`. Of several types that recognize a server,
    /// the one counts that was registered last.
    /// - Parameter documents: those that ``published`` names, as far as the server has them.
    /// - Returns: `nil` for a server of another kind.
    static func recognize(_ documents: PublishedDocuments) -> Recognition?
    /// The questions of `identity init`, in this order, each where its setting is not given.
    static var questions: [SettingQuestion] { get }
    /// The questions for a preset of this type: those for the settings that it `ProviderPreset.needs` beside `settings`.
    static func questions(for preset: ProviderPreset, beside settings: [String: JSONValue]) -> [SettingQuestion]
    /// `settings` with what a program at a terminal needs and is the same everywhere, such as a redirect URI on this machine.
    static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue]
    /// The settings with which a provider signs in as it is asked to, instead of those of the configuration.
    /// - Returns: `nil` when no provider of this type can.
    static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]?
    /// The codes of definitive errors with which a sign-in is refused, in lower case. A command ends with a status of its own
    /// for them.
    static var refusals: Set<String> { get }
    /// The modules of the package, which the module of a new plug-in must not be named after.
    static var modules: Set<String> { get }
}

/// A sign-in that the person who runs a command asks for.
public enum RequestedSignIn: Hashable, Sendable {
    /// On another device, with a code.
    case onAnotherDevice
    /// To a protected resource, of which only the address is known.
    case toResource(URL)
}

extension ProviderPlugin {
    public static var otherNames: Set<String> { [] }
    public static var addressSetting: String? { nil }
    public static var destinationSetting: String? { nil }
    /// No documents: no server is recognized.
    public static var published: [PublishedDocument] { [] }
    /// `nil`.
    public static func recognize(_ documents: PublishedDocuments) -> Recognition? { nil }
    public static var questions: [SettingQuestion] { [] }
    /// A question for each, in the words of its description.
    public static func questions(
        for preset: ProviderPreset, beside settings: [String: JSONValue]
    ) -> [SettingQuestion] {
        preset.needs.map { SettingQuestion($0, describedBy: Settings.self) }
    }
    /// `settings`
    public static func completedForTerminal(_ settings: [String: JSONValue]) -> [String: JSONValue] { settings }
    /// `nil`.
    public static func settings(for signIn: RequestedSignIn) -> [String: JSONValue]? { nil }
    /// No codes beside those of OAuth and OpenID Connect.
    public static var refusals: Set<String> { [] }
    /// The module of the plug-in.
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
