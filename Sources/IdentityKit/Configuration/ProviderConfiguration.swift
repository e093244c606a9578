import Foundation

/// One provider of a configuration.
public struct ProviderConfiguration: Sendable, Hashable {
    /// The provider's name, which is the realm of its accounts. As long as it stays, users stay signed in.
    public var name: String
    /// The registered type, such as `thunderid`.
    public var type: String
    /// The type's own settings.
    public var settings: JSONValue
    /// Whether a new sign-in may use the next provider while this one's backend cannot be reached.
    public var fallsBackWhenUnavailable: Bool
    /// The deadline of a silent lookup in seconds, from zero to a day; `nil` for two seconds.
    public var silentDeadline: Double?
    /// What happens when a lookup takes longer.
    public var whenTooSlow: SilentDeadline.Policy

    /// A provider.
    public init(
        name: String, type: String, settings: JSONValue, fallsBackWhenUnavailable: Bool = false,
        silentDeadline: Double? = nil, whenTooSlow: SilentDeadline.Policy = .stop
    ) {
        self.name = name
        self.type = type
        self.settings = settings
        self.fallsBackWhenUnavailable = fallsBackWhenUnavailable
        self.silentDeadline = silentDeadline
        self.whenTooSlow = whenTooSlow
    }

    /// A deadline in a document.
    private struct Seconds: BoundedNumber {
        static let bounds = 0.0...86_400
        static let advice = "Write a number of seconds from 0 to 86400."
        let number: Double
    }

    /// Why ``name`` cannot be a provider's name; `nil` where it can. ``/IdentityCore/ProviderOverride`` lists names with commas between
    /// them and a hyphen before those that it excludes, and terminals and logs show a name within a line.
    var flawOfName: String? {
        if name.isEmpty { return "is no name. Give the provider one, such as \"\(type)\"." }
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
        let limit =
            silentDeadline.map { min(max($0, Seconds.bounds.lowerBound), Seconds.bounds.upperBound) }
            .flatMap(Duration.init(outsideSeconds:)) ?? SilentDeadline.standard.limit
        return IdentityProviderChain.Link(
            name, provider, silentDeadline: SilentDeadline(limit, whenTooSlow),
            fallsBackWhenUnavailable: fallsBackWhenUnavailable)
    }
}

extension ProviderConfiguration: Codable {
    private enum CodingKeys: String, CodingKey {
        case name
        case type
        case settings
        case fallsBackWhenUnavailable
        case silentDeadline
        case whenTooSlow
    }

    /// Reads `name`, `type` and `settings`, and optionally `fallsBackWhenUnavailable`, `silentDeadline` in seconds and
    /// `whenTooSlow` (`stop` or `skip`).
    /// - Throws: ``ConfigurationError``, also for a deadline that is negative or longer than a day.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        type = try container.decode(String.self, forKey: .type)
        settings = try container.decode(JSONValue.self, forKey: .settings)
        fallsBackWhenUnavailable = try container.decodeIfPresent(Bool.self, forKey: .fallsBackWhenUnavailable) ?? false
        silentDeadline = try container.decodeIfPresent(Seconds.self, forKey: .silentDeadline)?.number
        whenTooSlow = try container.decodeIfPresent(SilentDeadline.Policy.self, forKey: .whenTooSlow) ?? .stop
    }

    /// Writes what ``init(from:)`` reads, without defaults.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(type, forKey: .type)
        try container.encode(settings, forKey: .settings)
        if fallsBackWhenUnavailable { try container.encode(true, forKey: .fallsBackWhenUnavailable) }
        try container.encodeIfPresent(silentDeadline, forKey: .silentDeadline)
        if whenTooSlow != .stop { try container.encode(whenTooSlow, forKey: .whenTooSlow) }
    }
}

extension ProviderConfiguration: CustomReflectable {
    /// Shows only the names of the settings.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "name": name,
                "type": type,
                "settings": settings.objectValue?.namesAlone ?? [],
                "fallsBackWhenUnavailable": fallsBackWhenUnavailable,
                "silentDeadline": silentDeadline as Any,
                "whenTooSlow": whenTooSlow,
            ])
    }
}
