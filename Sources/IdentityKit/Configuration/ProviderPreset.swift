import Foundation

/// A vendor's server as a value: another provider type with most of its settings filled in.
///
/// A preset is data. With it, a configuration says `{"type": "github", "settings": {"clientID": …}}`, and ``base`` decodes the
/// vendor's ``settings`` with the configuration's own merged over them. It is a shorthand only: sessions belong to the
/// base type, so a configuration that changes from a preset to its base type, with the same server and client, keeps them.
///
/// A ``ProviderRegistry`` takes presets beside plug-ins.
public struct ProviderPreset: Sendable, Hashable {
    /// The type's name in a configuration, such as `github`.
    public let type: String
    public let name: String
    /// Other names that people give the vendor, such as its host, in lower case.
    package let otherNames: Set<String>
    /// The provider type that makes the provider, such as `oauth2`.
    public let base: String
    /// The settings of the base type, an object. `{name}` in a text stands for the parameter of that name, and
    /// `{{name}}` for `{name}`.
    public let settings: JSONValue
    /// Settings that differ between the servers of the vendor's customers.
    public let parameters: [Parameter]
    /// The settings of the base type that only the configuration can give, such as `clientID`.
    package let needs: [String]
    /// Whether the browser cannot return to this machine, because the vendor registers no loopback address.
    package let refusesLoopback: Bool
    /// The vendor's documentation page about the sign-in.
    public let page: URL
    /// Documents of the vendor on which single ``settings`` are based, by the settings' names.
    public let sources: [String: URL]
    /// When the facts were collected, a year and a month such as `2026-03`.
    public let date: String
    /// Features that were not tried with the vendor's server, and those that do not work.
    public let untried: String
    /// Facts worth knowing about the vendor, in sentences.
    public let notes: [String]

    /// A setting that differs between the servers of a vendor's customers. A configuration gives its value among the
    /// settings.
    public struct Parameter: Sendable, Hashable, Decodable {
        /// Name of the parameter, both as a setting and in braces in ``ProviderPreset/settings``.
        public let name: String
        package let meaning: String
        /// Example of a value. Its form decides which values are accepted: an address, a path, or a word such as a host
        /// or an identifier.
        public let example: String
        /// Value when the configuration gives none; `nil` for a required parameter.
        public let `default`: String?
    }

    /// The parameters that a configuration must give.
    var requiredParameters: [Parameter] { parameters.filter { $0.default == nil } }
}

extension ProviderPreset: Decodable {
    private enum CodingKeys: String, CodingKey {
        case type, name, otherNames, base, settings, parameters, needs, refusesLoopback, page, sources, date, untried
        case notes
    }

    /// Reads the properties by their names; `otherNames`, `parameters`, `needs`, `refusesLoopback`, `sources` and
    /// `notes` may be absent.
    /// - Throws: `DecodingError`, also when the settings are no object, or contain a placeholder without a parameter.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        name = try container.decode(String.self, forKey: .name)
        otherNames = try container.decodeIfPresent(Set<String>.self, forKey: .otherNames) ?? []
        base = try container.decode(String.self, forKey: .base)
        settings = try container.decode(JSONValue.self, forKey: .settings)
        parameters = try container.decodeIfPresent([Parameter].self, forKey: .parameters) ?? []
        needs = try container.decodeIfPresent([String].self, forKey: .needs) ?? []
        refusesLoopback = try container.decodeIfPresent(Bool.self, forKey: .refusesLoopback) ?? false
        page = try container.decode(URL.self, forKey: .page)
        sources = try container.decodeIfPresent([String: URL].self, forKey: .sources) ?? [:]
        date = try container.decode(String.self, forKey: .date)
        untried = try container.decode(String.self, forKey: .untried)
        notes = try container.decodeIfPresent([String].self, forKey: .notes) ?? []
        guard settings.objectValue != nil else {
            throw DecodingError.dataCorruptedError(
                forKey: .settings, in: container, debugDescription: "They must be an object.")
        }
        let unknown = settings.placeholders.subtracting(parameters.map(\.name))
        guard unknown.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .settings, in: container,
                debugDescription: "No parameter is called \(unknown.sorted().joined(separator: ", ")).")
        }
    }
}

extension ProviderPreset: CustomReflectable {
    /// Shows the names of the settings, but no values.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "type": type, "name": name, "base": base, "settings": settings.objectValue?.namesAlone ?? [],
                "parameters": parameters, "needs": needs, "page": page.addressAlone,
                "sources": sources.mapValues(\.addressAlone), "date": date,
            ])
    }
}

extension JSONValue {
    /// Matches a name in double or single braces.
    private static var braces: Regex<(Substring, Substring?, Substring?)> {
        /\{(\{[A-Za-z][A-Za-z0-9]*\})\}|\{([A-Za-z][A-Za-z0-9]*)\}/
    }

    /// The names in braces in every text of the value. Braces around anything but letters and digits are text.
    var placeholders: Set<String> {
        switch self {
        case .string(let text): Set(text.matches(of: Self.braces).compactMap { $0.output.2.map(String.init) })
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.placeholders) }
        case .object(let members): members.values.reduce(into: []) { $0.formUnion($1.placeholders) }
        case .null, .bool, .integer, .number: []
        }
    }

    /// The value with the names in braces replaced by `values`. Braces in the inserted texts are left alone.
    func replacingPlaceholders(with values: [String: String]) -> JSONValue {
        switch self {
        case .string(let text):
            .string(
                text.replacing(Self.braces) { match in
                    if let literal = match.output.1 { return String(literal) }
                    return match.output.2.flatMap { values[String($0)] } ?? String(match.output.0)
                })
        case .array(let elements): .array(elements.map { $0.replacingPlaceholders(with: values) })
        case .object(let members): .object(members.mapValues { $0.replacingPlaceholders(with: values) })
        case .null, .bool, .integer, .number: self
        }
    }

    /// The value with `other` merged over it: objects are merged member by member, `null` removes a member, and
    /// everything else is replaced.
    func merged(with other: JSONValue) -> JSONValue {
        guard case .object(let members) = self, case .object(let others) = other else { return other }
        let removed = others.filter { $0.value == .null && members[$0.key] != nil }.keys
        return .object(members.merging(others) { $0.merged(with: $1) }.filter { !removed.contains($0.key) })
    }
}
