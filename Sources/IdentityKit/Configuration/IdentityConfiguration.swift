import Foundation
import IdentityStoreFormat

/// The identity providers of an app in their order, and the store of its sessions. A configuration is usually read from a
/// JSON document, so that another backend needs no change of code.
///
/// ```json
/// {
///   "store": { "type": "file", "folder": "~/.local/state/example" },
///   "providers": [
///     { "name": "work", "type": "thunderid", "settings": { "baseURL": "https://id.example.com", "clientID": "app" } },
///     { "name": "home", "type": "insforge", "settings": { "baseURL": "https://example.insforge.app" } }
///   ]
/// }
/// ```
///
/// A reference such as `${API_KEY}` in the settings of a provider or of the store is replaced with the value of the
/// environment variable. A document may have several configurations under `profiles`. Environment variables such as
/// `SWIFT_IDENTITY__work__baseURL` override single settings.
///
/// The coded form is an object with `providers`, and optionally `store`, `onSessionEnd` (`ask` or `fallBack`) and
/// `routesByDestination`. It lacks the profile's name.
public struct IdentityConfiguration: Sendable, Equatable {
    /// The profile's name. Each profile has its own chosen account.
    public var profile: String
    /// The store of sessions; by default the Keychain if the program may use it, and otherwise encrypted files in the
    /// state folder of the user.
    public var store: StoreConfiguration
    /// The providers in the order in which they are tried. References such as `${API_KEY}` are not yet replaced.
    public var providers: [ProviderConfiguration]
    /// Whether a chain keeps the chosen account when its session ends, or uses the account of another provider.
    public var onSessionEnd: SessionEndPolicy
    /// Whether the address of a request chooses the account, if the request names none. The request is then sent as an
    /// account of the provider that has a destination for the address: in ``ProviderConfiguration/sendsTo``, or in the
    /// setting that the ``PluginSetup`` of the provider's type names as the destination.
    public var routesByDestination: Bool

    /// The key path of the configuration in its document, for errors.
    var keyPath = ""
    /// The folder of the configuration file, against which relative paths in settings are resolved; `nil` without a file.
    @Uncompared var folder: String? = nil
    /// The file and the overriding variables, which errors name.
    @Uncompared var source = ConfigurationSource()

    /// Makes a configuration in code. Names of providers and paths of the store are not checked.
    /// - Parameters:
    ///   - profile: the name of the profile.
    ///   - store: the store of sessions; `nil` for the same store as in a document without `store`.
    ///   - providers: the providers, in the order in which they are tried.
    ///   - onSessionEnd: whether the chain keeps the chosen account when its session ends, or uses the account of
    ///     another provider.
    ///   - routesByDestination: whether the address of a request chooses its account, if the request names none.
    public init(
        profile: String = "default", store: StoreConfiguration? = nil,
        providers: [ProviderConfiguration], onSessionEnd: SessionEndPolicy = .ask,
        routesByDestination: Bool = true
    ) {
        self.profile = profile
        self.store = store ?? .standard(ProcessVariables.value)
        self.providers = providers
        self.onSessionEnd = onSessionEnd
        self.routesByDestination = routesByDestination
    }

    /// The profile name of a configuration from a document without `profiles`.
    package static let defaultProfile = "default"

    /// Reads a configuration file. Relative paths in it are resolved against the folder of the file. On Linux and macOS, a
    /// regular file is refused if other users can write it, or if it belongs to neither the current user nor root. Files in
    /// an app's bundle on macOS are not checked.
    /// - Parameters:
    ///   - file: the URL of a JSON document in UTF-8.
    ///   - profile: the name of a profile; by default the value of `SWIFT_IDENTITY_PROFILE`, or else of the document's
    ///     `defaultProfile`, or else the only profile.
    ///   - variables: the environment variables for the profile, for overrides and for references in `store`.
    /// - Throws: ``ConfigurationError``.
    public init(
        contentsOf file: URL, profile: String? = nil,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        let content = try Self.content(of: file)
        let path = StorePath.anchored(file.path, in: FileManager.default.currentDirectoryPath)
        try self.init(
            ConfigurationSource(path: path, document: content), profile: profile, variables: variables)
        let folder = StorePath.folder(of: path)
        self.folder = folder
        store = store.anchored(in: folder)
    }

    /// The configuration of a program that names no file: `identity.json` in the bundle if it is there, and otherwise
    /// `identity.json` in `folder`.
    /// - Throws: ``ConfigurationError``.
    package static func ofProgram(
        _ bundle: Bundle = .main, in folder: String = FileManager.default.currentDirectoryPath
    ) throws -> IdentityConfiguration {
        let file = bundle.url(forResource: "identity", withExtension: "json")
        return try IdentityConfiguration(
            contentsOf: file ?? URL(fileURLWithPath: folder).appendingPathComponent("identity.json"))
    }

    /// Reads a configuration document. Relative paths in it are resolved against the working directory.
    /// - Parameters:
    ///   - data: a JSON document in UTF-8.
    ///   - profile: the name of a profile; by default the value of `SWIFT_IDENTITY_PROFILE`, or else of the document's
    ///     `defaultProfile`, or else the only profile.
    ///   - variables: the environment variables for the profile, for overrides and for references in `store`.
    /// - Throws: ``ConfigurationError``.
    public init(
        parsing data: Data, profile: String? = nil,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        try self.init(ConfigurationSource(document: data), profile: profile, variables: variables)
    }

    private init(_ read: ConfigurationSource, profile: String?, variables: [String: String]) throws {
        var source = read
        do {
            let chosen = try ConfigurationDocument(parsing: read.document).profile(profile, variables: variables)
            let overridden = try EnvironmentOverrides(variables).applied(to: chosen.value)
            source.overrides = Dictionary(
                overridden.variables.map { (SettingsNode.join(chosen.keyPath, $0.key), $0.value) },
                uniquingKeysWith: { first, _ in first })
            try self.init(chosen, overridden.document, variables)
        } catch let error as ConfigurationError {
            throw source.locating(error)
        }
        self.source = source
    }

    private init(
        _ chosen: ConfigurationDocument.Profile, _ overridden: JSONValue, _ variables: [String: String]
    ) throws {
        var document = overridden
        let store = try document["store"].map {
            try EnvironmentReferences(variables).resolve($0, at: SettingsNode.join(chosen.keyPath, "store"))
        }
        if let store { document["store"] = store.value }
        do {
            self = try SettingsDecoder.decode(Self.self, from: document, at: chosen.keyPath, texts: store?.texts ?? [])
            if store == nil { self.store = .standard { variables[$0] } }
            self.profile = chosen.name
            keyPath = chosen.keyPath
            try check()
        } catch {
            throw store?.hidingValues(in: error, at: SettingsNode.join(chosen.keyPath, "store")) ?? error
        }
    }

    /// The names of a document's profiles in alphabetical order; `default` for a document without `profiles`.
    /// - Throws: ``ConfigurationError`` for an invalid document, and for a `defaultProfile` that does not exist.
    package static func profiles(in data: Data) throws -> [String] {
        try ConfigurationDocument(parsing: data).profileNames
    }

    func keyPath(of key: String) -> String { SettingsNode.join(keyPath, key) }

    private func check() throws {
        var names: Set<String> = []
        for (index, provider) in providers.enumerated() {
            let isNew = names.insert(provider.name).inserted
            let flaw = isNew ? provider.flawOfName : "is used twice. Give each provider a name of its own."
            guard let flaw else { continue }
            throw ConfigurationError.invalidValue(
                keyPath: keyPath(of: "providers[\(index)].name"), reason: "\"\(provider.name)\" \(flaw)")
        }
        if let flaw = store.flawOfPaths {
            throw ConfigurationError.invalidValue(
                keyPath: keyPath(of: "store.\(flaw.member)"),
                reason: flaw.detail.prefix(1).uppercased() + flaw.detail.dropFirst() + ".")
        }
        guard !providers.isEmpty else {
            throw ConfigurationError.invalidValue(
                keyPath: keyPath(of: "providers"), reason: "Name at least one provider.")
        }
    }
}

extension IdentityConfiguration: Codable, ConfigurationPart {
    /// Reads `providers`, and optionally `store`, `onSessionEnd` (`ask` or `fallBack`) and `routesByDestination`.
    package init(_ reader: SettingsReader) throws {
        profile = Self.defaultProfile
        store =
            try reader.readIfPresent(
                "store",
                means:
                    "Where sessions are kept; by default in the Keychain on Apple's systems, elsewhere in ~/.local/state/identity.",
                example: ["type": "file", "folder": "~/.local/state/example"], isUsual: true)
            ?? .standard(ProcessVariables.value)
        providers = try reader.read(
            "providers", means: "The providers, in the order in which they are tried.",
            example: [ProviderConfiguration.example])
        onSessionEnd = try reader.read(
            "onSessionEnd",
            means:
                "What happens when the session of the chosen account has ended: ask for a sign-in, or fallBack to the account of the next provider.",
            example: "fallBack", default: "ask")
        routesByDestination = try reader.read(
            "routesByDestination",
            means: "Whether a request that names no account goes to the one whose provider names its address.",
            example: false, default: true)
    }

    /// The object with `store` and `providers`, and `onSessionEnd` and `routesByDestination` unless they have their
    /// defaults. The profile is left out.
    package var document: JSONValue {
        var members: [String: JSONValue] = [
            "store": store.document, "providers": .array(providers.map(\.document)),
        ]
        if onSessionEnd != .ask { members["onSessionEnd"] = .string(onSessionEnd.rawValue) }
        if !routesByDestination { members["routesByDestination"] = false }
        return .object(members)
    }
}
