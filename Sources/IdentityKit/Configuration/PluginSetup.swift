import Foundation

/// Optional facts about a provider type, which its ``ProviderPlugin`` supplies in addition to the settings. Most of
/// them are for the command-line tool `identity`.
public struct PluginSetup: Sendable {
    package var otherNames: Set<String>
    package var addressSetting: String?
    package var destinationSetting: String?
    package var published: [PublishedDocument]
    package var recognize: @Sendable (PublishedDocuments) -> Recognition?
    package var questions: [SettingQuestion]
    /// Returns the questions for a preset, without those that the settings answer. If the function is `nil`, there is one
    /// question for each setting in `ProviderPreset.needs`.
    package var questionsForPreset: (@Sendable (ProviderPreset, [String: JSONValue]) -> [SettingQuestion])?
    package var completedForTerminal: @Sendable ([String: JSONValue]) -> [String: JSONValue]
    package var settingsForSignIn: @Sendable (RequestedSignIn) -> [String: JSONValue]?
    package var refusals: Set<String>
    package var otherModules: Set<String>

    /// Makes a setup.
    /// - Parameters:
    ///   - otherNames: alternative names for the type, in lower case, for suggestions.
    ///   - addressSetting: the setting that contains the server's address, for which `identity init` asks; `nil` for a type
    ///     without such a setting.
    ///   - destinationSetting: the setting that contains the address of the resource for which the provider gets tokens;
    ///     `nil` for a type without such a setting. Requests to this address and everything below it are sent as an account
    ///     of the provider.
    ///   - published: the documents that `identity init` requests from an unknown server, to pass them to `recognize`.
    ///   - recognize: recognizes a server of this type by its documents, which are those of `published` that the server
    ///     has. Returns the settings that follow from the documents; `nil` for a server of another type. If several
    ///     types recognize a server, `identity init` uses the type that was registered last.
    ///   - questions: the questions that `identity init` asks in this order. A question is skipped if its setting is already
    ///     known.
    ///   - completedForTerminal: returns the settings with defaults for programs at a terminal, such as a redirect URI on
    ///     this machine.
    ///   - settingsForSignIn: returns the settings that a requested sign-in requires; `nil` when no provider of this type
    ///     supports such a sign-in. If the provider is configured, the returned settings override the configured
    ///     settings of the same names.
    ///   - refusals: the failure codes, in lower case, of definitive errors that mean that the server refused a sign-in.
    ///     Commands end with a separate exit status for these codes and those of OAuth and OpenID Connect.
    ///   - otherModules: the names of the modules that belong to the plug-in, apart from the module that declares it.
    ///     `identity plugin new` refuses the name of each module of this plug-in for a new plug-in.
    public init(
        otherNames: Set<String> = [], addressSetting: String? = nil, destinationSetting: String? = nil,
        published: [PublishedDocument] = [],
        recognize: @escaping @Sendable (PublishedDocuments) -> Recognition? = { _ in nil },
        questions: [SettingQuestion] = [],
        completedForTerminal: @escaping @Sendable ([String: JSONValue]) -> [String: JSONValue] = { $0 },
        settingsForSignIn: @escaping @Sendable (RequestedSignIn) -> [String: JSONValue]? = { _ in nil },
        refusals: Set<String> = [], otherModules: Set<String> = []
    ) {
        self.otherNames = otherNames
        self.addressSetting = addressSetting
        self.destinationSetting = destinationSetting
        self.published = published
        self.recognize = recognize
        self.questions = questions
        self.completedForTerminal = completedForTerminal
        self.settingsForSignIn = settingsForSignIn
        self.refusals = refusals
        self.otherModules = otherModules
    }
}

/// A special kind of sign-in that a person requests with an option or an argument of a command.
public enum RequestedSignIn: Hashable, Sendable {
    /// Signs in on another device, on which the person enters a code or opens a link.
    case onAnotherDevice
    /// Signs in to the protected resource at an address, without a configuration of its provider.
    case toResource(URL)
}
