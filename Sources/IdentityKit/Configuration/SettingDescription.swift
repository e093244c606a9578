/// The description of a setting, shown by editors, through the JSON Schema, in the documentation, and by `identity
/// providers`. A ``SettingsReader`` records it.
package struct SettingDescription: Sendable, Equatable {
    package let key: String
    /// The purpose of the setting, in a sentence.
    package var meaning: String
    /// A value that it may have.
    package var example: JSONValue
    /// Value where the key is absent; `nil` where there is none, or where it depends on something else, which
    /// `meaning` then says.
    package var `default`: JSONValue?
    /// Whether a complete example has it although it can be absent.
    package var isUsual: Bool
    /// The settings that ``example`` needs beside it. `null` stands for one that must be absent.
    package var companions: JSONValue

    init(
        _ key: String, _ meaning: String, example: JSONValue, default: JSONValue? = nil, isUsual: Bool = false,
        with companions: JSONValue = [:]
    ) {
        (self.key, self.meaning, self.example) = (key, meaning, example)
        (self.default, self.isUsual, self.companions) = (`default`, isUsual, companions)
    }

    /// Adds what the example needs too.
    package mutating func add(_ others: JSONValue) { companions = companions.merged(with: others) }

    /// Members that the description adds to the JSON Schema of its value.
    var annotations: [String: JSONValue] {
        var annotations: [String: JSONValue] = ["description": .string(meaning), "examples": [example]]
        annotations["default"] = `default`
        return annotations
    }

    /// `$schema` in the JSON Schema of a document, which may name its schema for editors.
    static let schemaOfSchema: JSONValue = [
        "type": "string", "examples": ["identity.schema.json"],
        "description":
            "The JSON Schema by which an editor completes and checks the document; nothing else reads it.",
    ]
}
