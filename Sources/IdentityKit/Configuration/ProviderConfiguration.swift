import Foundation

/// An element of `providers` in a configuration: the name, type and settings of a provider, and its use in the chain.
///
/// The coded form is an object with `name`, `type` and `settings`, and optionally `fallsBackWhenUnavailable`,
/// `silentDeadline` in seconds from 0 to 86,400, `whenTooSlow` (`stop` or `skip`) and `sendsTo`.
public struct ProviderConfiguration: Sendable, Hashable {
    /// The provider's name. The identifiers of the provider's accounts contain this name as their realm, so users stay
    /// signed in as long as the name is unchanged.
    public var name: String
    /// The registered type of the provider or a preset, such as `thunderid` or `github`.
    public var type: String
    /// The settings that the type decodes, an object. References such as `${API_KEY}` are not yet replaced.
    public var settings: JSONValue
    /// Whether the chain may try the next provider while this one's backend cannot be reached. The chain never does so
    /// for the chosen account, or when a sign-in names this provider.
    public var fallsBackWhenUnavailable: Bool
    /// The deadline of a silent lookup, in which the provider finds an account without asking the user. By default, a chain
    /// stops with an error when a lookup takes longer than two seconds. A configuration file cannot contain a deadline longer
    /// than a day, so a longer or missing deadline is written as a day.
    public var silentDeadline: SilentDeadline
    /// The addresses to which the provider's tokens are sent. Each includes everything below it. Empty for any address.
    /// A request to one of these addresses that names no account is sent as an account of this provider, unless
    /// ``IdentityConfiguration/routesByDestination`` is `false`.
    public var sendsTo: [URL]

    public init(
        name: String, type: String, settings: JSONValue, fallsBackWhenUnavailable: Bool = false,
        silentDeadline: SilentDeadline = SilentDeadline(.seconds(2)), sendsTo: [URL] = []
    ) {
        self.name = name
        self.type = type
        self.settings = settings
        self.fallsBackWhenUnavailable = fallsBackWhenUnavailable
        self.silentDeadline = silentDeadline
        self.sendsTo = sendsTo
    }

    /// The reason why ``name`` is not acceptable; `nil` when it is. Commas, a leading hyphen and surrounding spaces are
    /// refused because ``/IdentityCore/ProviderOverride`` separates names with commas, trims them, and reads a leading
    /// hyphen as an exclusion. Control characters are refused because terminals and logs show a name within a line.
    var flawOfName: String? {
        if name.isEmpty { return "is not a valid name. Give the provider one, such as \"\(type)\"." }
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "has a line break or another control character. Take it away."
        }
        if name.hasPrefix("-") || name.contains(",") || name != name.trimmingCharacters(in: .whitespaces) {
            return "cannot be named in \(ProviderOverride.variable). "
                + "Take away commas, a hyphen before it and spaces around it."
        }
        return nil
    }

    func link(to provider: any IdentityProvider) -> IdentityProviderChain.Link {
        IdentityProviderChain.Link(
            name, provider, silentDeadline: silentDeadline, fallsBackWhenUnavailable: fallsBackWhenUnavailable)
    }
}

extension ProviderConfiguration: Codable, ConfigurationPart {
    /// Reads `name`, `type` and `settings`, and optionally `fallsBackWhenUnavailable`, `silentDeadline` in seconds,
    /// `whenTooSlow` (`stop` or `skip`) and `sendsTo`.
    /// - Throws: ``ConfigurationError``, also for a deadline that is negative or longer than a day.
    package init(_ reader: SettingsReader) throws {
        name = try reader.read(
            "name",
            means: "The realm of its accounts, which the store keeps: as long as it stays, people stay signed in.",
            example: "home")
        type = try reader.read("type", means: "The provider type.", example: "insforge")
        settings = try reader.read(
            "settings", means: "The settings of the type.", example: Self.example["settings"] ?? [:])
        fallsBackWhenUnavailable = try reader.read(
            "fallsBackWhenUnavailable",
            means: "Whether a new sign-in may use the next provider while this one's server cannot be reached.",
            example: true, default: false, isUsual: true)
        let seconds: Double = try reader.read(
            "silentDeadline", .within(SilentDeadline.acceptedSeconds, "Write a number of seconds from 0 to 86400."),
            means: "How long a silent look-up may take, in seconds.", example: 5, default: 2)
        let policy: SilentDeadline.Policy = try reader.read(
            "whenTooSlow",
            means: "What happens when it takes longer: stop with an error, or skip to the next provider.",
            example: "skip", default: "stop")
        silentDeadline = SilentDeadline(.seconds(seconds), policy)
        sendsTo = try reader.read(
            "sendsTo", .destinations,
            means:
                "The addresses that its tokens go to, each with everything below it; by default any. Requests to them are sent as an account of this provider.",
            example: ["https://api.example.com"], default: [])
    }

    static let example: JSONValue = [
        "name": "home", "type": "insforge", "settings": ["baseURL": "https://example.insforge.app"],
    ]

    /// The object with `name`, `type` and `settings`, and with every other member whose value is not the default.
    package var document: JSONValue {
        var members: [String: JSONValue] = ["name": .string(name), "type": .string(type), "settings": settings]
        if fallsBackWhenUnavailable { members["fallsBackWhenUnavailable"] = true }
        let standard = SilentDeadline.standard
        if silentDeadline.limit != standard.limit { members["silentDeadline"] = .number(silentDeadline.seconds) }
        if silentDeadline.policy != standard.policy { members["whenTooSlow"] = .string(silentDeadline.policy.rawValue) }
        if !sendsTo.isEmpty { members["sendsTo"] = .array(sendsTo.map { .string($0.absoluteString) }) }
        return .object(members)
    }
}

extension ProviderConfiguration: Reticent {
    /// Shows the names of the settings, but not their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "name": name,
            "type": type,
            "settings": settings.objectValue?.namesAlone ?? [],
            "fallsBackWhenUnavailable": fallsBackWhenUnavailable,
            "silentDeadline": silentDeadline,
            "sendsTo": sendsTo,
        ]
    }
}

extension SilentDeadline {
    /// The numbers of seconds that a configuration file accepts.
    fileprivate static let acceptedSeconds = 0.0...86_400

    /// The limit in seconds as written to a configuration file: a number from 0 to 86,400. A missing limit counts as 86,400.
    package var seconds: Double {
        let accepted = Self.acceptedSeconds
        guard let limit else { return accepted.upperBound }
        return min(max(limit / .seconds(1), accepted.lowerBound), accepted.upperBound)
    }
}
