/// Reference documentation of the settings of a provider type or a store type, made from the settings' JSON Schema.
package struct SettingsReference: Sendable, Equatable, Codable {
    /// The part of a configuration that names the type: an entry of `providers`, or `store`.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case provider, store
    }

    package let type: String
    package let kind: Kind
    /// Name of the preset's vendor, such as `GitHub`; `nil` for a type that is no preset.
    package let vendor: String?
    /// The provider type that a preset configures. The preset also accepts settings of that type that are not in
    /// ``settings``. `nil` for a type that is no preset.
    package let base: String?
    package let settings: [Setting]
    package let example: JSONValue

    package struct Setting: Sendable, Equatable, Codable {
        /// Key path of the setting within the provider's or the store's settings, such as `key.home`.
        package let keyPath: String
        package let form: String
        package let isRequired: Bool
        package let `default`: JSONValue?
        package let meaning: String
        package let example: JSONValue?
    }
}

extension ProviderRegistry {
    /// The references of all types: those of providers, then those of stores.
    package var references: [SettingsReference] {
        types.compactMap(providerReference) + stores.types.map(storeReference)
    }

    /// The reference of the provider type or the store type `type`; `nil` when no such type is registered.
    package func reference(of type: String) -> SettingsReference? {
        types.contains(type) ? providerReference(type) : stores.types.contains(type) ? storeReference(type) : nil
    }

    /// Returns the registered type of which `type` is probably a misspelling; `nil` when no type has a similar name.
    package func typeLike(_ type: String) -> String? { type.similarName(in: types + stores.types) }

    private func providerReference(_ type: String) -> SettingsReference? {
        guard let schema = settingsSchema(of: type) else { return nil }
        let (preset, descriptions) = (preset(of: type), descriptions(of: type))
        let settings = preset.map { $0.rows(of: schema) } ?? schema.rows(descriptions)
        let example = preset?.example(with: descriptions) ?? schema.example(with: descriptions)
        return SettingsReference(
            type: type, kind: .provider, vendor: preset?.name, base: preset?.base, settings: settings,
            example: ["providers": [["name": "example", "type": .string(type), "settings": example]]])
    }

    private func storeReference(_ type: String) -> SettingsReference {
        let descriptions = stores.descriptions(of: type)
        let schema = stores.schemas.first { $0.type == type }?.schema ?? [:]
        var example = schema.example(with: descriptions)
        example["type"] = .string(type)
        return SettingsReference(
            type: type, kind: .store, vendor: nil, base: nil, settings: schema.rows(descriptions),
            example: ["store": example, "providers": [["name": "example", "type": "anonymous", "settings": [:]]]])
    }
}

extension ProviderPreset {
    /// Returns a row for each parameter of the preset, each setting of the base type that the configuration must
    /// give, and each that the preset fills in. Required settings come first.
    fileprivate func rows(of base: JSONValue) -> [SettingsReference.Setting] {
        let parameters = parameters.map { parameter in
            SettingsReference.Setting(
                keyPath: parameter.name, form: "text", isRequired: parameter.default == nil,
                default: parameter.default.map(JSONValue.string), meaning: parameter.meaning,
                example: .string(parameter.example))
        }
        var schema = base
        schema["required"] = .array(needs.map(JSONValue.string))
        let known = needs + (settings.objectValue ?? [:]).keys.sorted()
        schema["properties"] = .object((base["properties"]?.objectValue ?? [:]).filter { known.contains($0.key) })
        let others = schema.rows([]).filter { !$0.keyPath.contains(".") }.map { row in
            SettingsReference.Setting(
                keyPath: row.keyPath, form: row.form, isRequired: row.isRequired,
                default: settings[row.keyPath] ?? row.default, meaning: row.meaning, example: row.example)
        }
        return (parameters + others).filter(\.isRequired) + (parameters + others).filter { !$0.isRequired }
    }

    fileprivate func example(with descriptions: [SettingDescription]) -> JSONValue {
        var example: [String: JSONValue] = [:]
        for parameter in requiredParameters { example[parameter.name] = .string(parameter.example) }
        for description in descriptions where needs.contains(description.key) {
            example[description.key] = description.example
        }
        return .object(example)
    }
}

extension JSONValue {
    /// Returns an example object with the settings among `descriptions` that this schema requires or that are usual.
    func example(with descriptions: [SettingDescription]) -> JSONValue {
        let required = self["required"]?.arrayValue ?? []
        let shown = descriptions.filter { description in
            self["properties"]?[description.key] != nil
                && (description.isUsual || required.contains(.string(description.key)))
        }
        return .object(Dictionary(shown.map { ($0.key, $0.example) }, uniquingKeysWith: { $1 }))
    }

    /// Returns a row for each setting of an object of this schema, each followed by the rows of its members. Required
    /// settings come first, then those that `descriptions` call usual, then all others. Each group is sorted by name.
    func rows(_ descriptions: [SettingDescription], below path: String = "") -> [SettingsReference.Setting] {
        let required = Set((self["required"]?.arrayValue ?? []).compactMap(\.stringValue))
        let usual = Set(descriptions.filter(\.isUsual).map(\.key))
        func rank(_ key: String) -> Int { required.contains(key) ? 0 : usual.contains(key) ? 1 : 2 }
        let properties = (self["properties"]?.objectValue ?? [:]).sorted {
            (rank($0.key), $0.key) < (rank($1.key), $1.key)
        }
        return properties.flatMap { key, schema in
            let keyPath = SettingsNode.join(path, key)
            let row = SettingsReference.Setting(
                keyPath: keyPath, form: schema.form, isRequired: required.contains(key), default: schema["default"],
                meaning: schema["description"]?.stringValue ?? "", example: schema["examples"]?.arrayValue?.first)
            return [row] + schema.rows([], below: keyPath)
        }
    }

    /// Kind of the values that this schema describes, in words such as `whole number from 1 to 10`.
    private var form: String {
        if let alternatives = self["anyOf"]?.arrayValue {
            // Omit the alternative for a reference such as `${NAME}`, so as not to repeat it in every row.
            return alternatives.filter { $0["pattern"] == nil }.map(\.form).joined(separator: ", or ")
        }
        if let values = self["enum"]?.arrayValue {
            return "one of " + values.compactMap(\.stringValue).map { "\"\($0)\"" }.joined(separator: ", ")
        }
        let bounds = self["minimum"].flatMap { least in
            self["maximum"].map { " from \(least.inWords) to \($0.inWords)" }
        }
        switch self["type"]?.stringValue {
        case "string": return self["format"] == "uri" ? "address" : "text"
        case "boolean": return "true or false"
        case "integer": return "whole number" + (bounds ?? "")
        case "number": return "number" + (bounds ?? "")
        case "array": return "list of " + (self["items"]?["type"] == "string" ? "texts" : "values")
        case "object": return "object"
        default: return "any JSON"
        }
    }

    private var inWords: String {
        integerValue.map(String.init) ?? numberValue.map { "\($0)" } ?? ""
    }
}
