import Foundation

/// A provider type for the server of one vendor: a name for another provider type, with most of its settings filled in.
///
/// With a preset, a configuration has `{"type": "github", "settings": {"clientID": …}}`. The other type, called the
/// base type, decodes the preset's settings after the settings of the configuration have been merged over them.
/// Sessions belong to the base type. A configuration that changes from a preset to its base type therefore keeps its
/// sessions, if the server and the client are the same.
///
/// A preset is decoded from a JSON document, which ``init(from:)`` describes. An app registers presets with a
/// ``ProviderRegistry``.
public struct ProviderPreset: Sendable, Hashable {
    /// The type's name in a configuration, such as `github`.
    public let type: String
    public let name: String
    package let otherNames: Set<String>
    package let base: String
    package let settings: JSONValue
    package let parameters: [Parameter]
    package let needs: [String]
    package let refusesLoopback: Bool
    package let loopback: String?
    package let page: URL
    package let sources: [String: URL]
    package let date: String
    package let untried: String
    package let notes: [String]

    /// A setting that differs between the servers of a vendor's customers. A configuration gives its value as a member of
    /// `settings`.
    package struct Parameter: Sendable, Hashable, Decodable {
        package let name: String
        package let meaning: String
        package let example: String
        package let `default`: String?
    }

    /// The parameters without a default, which a configuration must give.
    var requiredParameters: [Parameter] { parameters.filter { $0.default == nil } }
}

extension ProviderPreset: Decodable {
    private enum CodingKeys: String, CodingKey {
        case type, name, otherNames, base, settings, parameters, needs, refusesLoopback, loopback, page, sources, date
        case untried, notes
    }

    /// Reads an object with these members. `otherNames`, `parameters`, `needs`, `refusesLoopback`, `loopback`, `sources` and
    /// `notes` may be absent.
    ///
    /// - `type`: the type's name in a configuration, such as `github`.
    /// - `name`: the vendor's name.
    /// - `otherNames`: other names of the vendor in lower case, such as its host. `identity init` finds the preset by these
    ///   names, and errors suggest the preset for them.
    /// - `base`: the provider type that decodes the settings and makes the provider, such as `oauth2`.
    /// - `settings`: the settings of the base type, an object. `{name}` in a string is replaced with the value of the
    ///   parameter `name`. `{{name}}` stands for the characters `{name}`.
    /// - `parameters`: the settings that differ between the servers of the vendor's customers. Their values are inserted
    ///   into `settings`. Each parameter is an object with `name`, `meaning`, `example` and, unless the configuration must
    ///   give the value, `default`. The form of the example decides which values are accepted: addresses, paths, or words
    ///   such as a host or an identifier.
    /// - `needs`: the settings of the base type that only the configuration can give, such as `clientID`.
    /// - `refusesLoopback`: whether the vendor registers no loopback redirect URI, so that the browser cannot return to a
    ///   program on this machine.
    /// - `loopback`: the redirect URI that `identity init` suggests for a program on this machine, if the vendor does not
    ///   accept `http://127.0.0.1/callback` with every port.
    /// - `page`: the vendor's documentation page about the sign-in.
    /// - `sources`: documents of the vendor from which single settings were taken, by the names of the settings.
    /// - `date`: year and month in which the facts about the vendor were collected, such as `2026-03`.
    /// - `untried`: sentences about features that were not tried with the vendor's server, or do not work there.
    /// - `notes`: sentences for people who configure the vendor, such as about the registration of a client.
    /// - Throws: `DecodingError`, also when `settings` is no object, or contains `{name}` without a parameter of that name.
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
        loopback = try container.decodeIfPresent(String.self, forKey: .loopback)
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

extension ProviderPreset: Reticent {
    /// Shows the names of the settings, but not their values.
    package var shown: KeyValuePairs<String, Any> {
        [
            "type": type, "name": name, "base": base, "settings": settings.objectValue?.namesAlone ?? [],
            "parameters": parameters, "needs": needs, "page": page.addressAlone,
            "sources": sources.mapValues(\.addressAlone), "date": date,
        ]
    }
}

extension JSONValue {
    /// Matches a name in braces. The first group is the name with braces from `{{name}}`, the second the name from `{name}`.
    private static var braces: Regex<(Substring, Substring?, Substring?)> {
        /\{(\{[A-Za-z][A-Za-z0-9]*\})\}|\{([A-Za-z][A-Za-z0-9]*)\}/
    }

    /// The names of the placeholders `{name}` in all strings of the value. A name begins with an ASCII letter, and has only
    /// ASCII letters and digits. Double braces, as in `{{name}}`, make no placeholder.
    var placeholders: Set<String> {
        switch self {
        case .string(let text): Set(text.matches(of: Self.braces).compactMap { $0.output.2.map(String.init) })
        case .array(let elements): elements.reduce(into: []) { $0.formUnion($1.placeholders) }
        case .object(let members): members.values.reduce(into: []) { $0.formUnion($1.placeholders) }
        case .null, .bool, .integer, .number: []
        }
    }

    /// Returns the value with each placeholder `{name}` replaced with the text in `values`, if there is one, and each
    /// `{{name}}` replaced with `{name}`. Braces in the inserted texts are left unchanged.
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

    /// Returns the value with `other` merged over it. Objects are merged member by member, and `null` removes a member that
    /// this object has. Anything else is replaced with `other`.
    func merged(with other: JSONValue) -> JSONValue {
        guard case .object(let members) = self, case .object(let others) = other else { return other }
        let removed = others.filter { $0.value == .null && members[$0.key] != nil }.keys
        return .object(members.merging(others) { $0.merged(with: $1) }.filter { !removed.contains($0.key) })
    }
}
