/// The description of a setting, which a ``SettingsReader`` records. Editors (through the JSON Schema), the documentation
/// and `identity providers` show it.
package struct SettingDescription: Sendable, Equatable {
    package let key: String
    /// The purpose of the setting, in a sentence.
    package var meaning: String
    /// A valid value, for the documentation and for the message about a missing setting.
    package var example: JSONValue
    /// Default of the setting; `nil` if there is none, or if it depends on other settings, as ``meaning`` explains.
    package var `default`: JSONValue?
    /// Whether examples show the setting although it is optional.
    package var isUsual: Bool
    /// The other settings that a configuration with ``example`` needs. `null` stands for a setting that must be absent.
    package var companions: JSONValue

    init(
        _ key: String, _ meaning: String, example: JSONValue, default: JSONValue? = nil, isUsual: Bool = false,
        with companions: JSONValue = [:]
    ) {
        (self.key, self.meaning, self.example) = (key, meaning, example)
        (self.default, self.isUsual, self.companions) = (`default`, isUsual, companions)
    }

    /// Adds settings to ``companions``.
    package mutating func add(_ others: JSONValue) { companions = companions.merged(with: others) }

    /// The members `description`, `examples` and `default`, which the description adds to the JSON Schema of the setting.
    var annotations: [String: JSONValue] {
        var annotations: [String: JSONValue] = ["description": .string(meaning), "examples": [example]]
        annotations["default"] = `default`
        return annotations
    }

    /// Schema of the member `$schema`, with which a document names its schema for editors.
    static let schemaOfSchema: JSONValue = [
        "type": "string", "examples": ["identity.schema.json"],
        "description":
            "The JSON Schema by which an editor completes and checks the document; nothing else reads it.",
    ]
}
