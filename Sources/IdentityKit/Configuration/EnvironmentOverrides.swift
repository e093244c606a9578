/// Applies settings from environment variables: `SWIFT_IDENTITY__work__baseURL` is the setting `baseURL` of the
/// provider `work`, and `SWIFT_IDENTITY__store__folder` is the setting `folder` of the store. Two underscores separate
/// the names.
///
/// The provider's name is compared without regard to case. In the variable, `_` stands for each character other than an
/// ASCII letter or digit. The override puts a reference such as `${SWIFT_IDENTITY__work__baseURL}` into the document. The
/// variable's value is therefore checked, and hidden in errors, as for any other reference.
struct EnvironmentOverrides {
    private static let prefix = "SWIFT_IDENTITY__"

    private let paths: [(variable: String, parts: [String])]

    init(_ variables: [String: String]) {
        paths = variables.keys.filter { $0.hasPrefix(Self.prefix) }.sorted().map { variable in
            (variable, Self.split(variable.dropFirst(Self.prefix.count)))
        }
    }

    /// Returns `document` with each overridden setting replaced by a reference to its variable. `variables` maps the
    /// key path of each of these settings to the variable's name.
    /// - Throws: ``ConfigurationError/unknownOverride(variable:known:)`` for a variable that names neither the store nor a
    ///   provider, and for a variable without the name of a setting.
    func applied(to document: JSONValue) throws -> (document: JSONValue, variables: [String: String]) {
        var (document, variables) = (document, [String: String]())
        for (variable, parts) in paths {
            let providers = document["providers"]?.arrayValue ?? []
            let names = providers.map { $0["name"]?.stringValue ?? "" }
            let reference = JSONValue.string("${\(variable)}")
            guard let target = parts.first, parts.count > 1 else {
                throw ConfigurationError.unknownOverride(variable: variable, known: names)
            }
            let path = parts.dropFirst()
            let place: String
            if target.lowercased() == "store" {
                document["store"] = Self.set(path, of: document["store"] ?? [:], to: reference)
                place = "store"
            } else if let index = names.firstIndex(where: { Self.variablePart($0) == target.lowercased() }) {
                var changed = providers
                changed[index]["settings"] = Self.set(path, of: changed[index]["settings"] ?? [:], to: reference)
                document["providers"] = .array(changed)
                place = "providers[\(index)].settings"
            } else {
                throw ConfigurationError.unknownOverride(variable: variable, known: names)
            }
            variables[path.reduce(place) { SettingsNode.join($0, $1) }] = variable
        }
        return (document, variables)
    }

    private static func set(_ path: ArraySlice<String>, of value: JSONValue, to new: JSONValue) -> JSONValue {
        guard let key = path.first else { return new }
        var value = value.objectValue == nil ? [:] : value
        value[key] = set(path.dropFirst(), of: value[key] ?? [:], to: new)
        return value
    }

    private static func variablePart(_ name: String) -> String {
        String(name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func split(_ text: Substring) -> [String] {
        var parts = [""]
        var rest = text
        while let character = rest.first {
            if rest.hasPrefix("__") {
                parts.append("")
                rest = rest.dropFirst(2)
            } else {
                parts[parts.count - 1].append(character)
                rest = rest.dropFirst()
            }
        }
        return parts.filter { !$0.isEmpty }
    }
}
