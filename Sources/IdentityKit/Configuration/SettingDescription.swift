/// What people are told about one setting: by editors, through the JSON Schema, in the documentation, and by
/// `identity providers`.
public struct SettingDescription: Sendable, Equatable {
    /// The key.
    public let key: String
    /// What it is for, in a sentence.
    public let meaning: String
    /// A value that it may have.
    public let example: JSONValue
    /// What counts where the key is absent; `nil` where nothing does, or where that depends on something else, which
    /// ``meaning`` then says.
    public let `default`: JSONValue?
    /// Whether a complete example has it although it can be absent.
    public let isUsual: Bool
    /// The settings that ``example`` needs beside it. `null` stands for one that must be absent.
    public let companions: JSONValue

    /// A description.
    public init(
        _ key: String, _ meaning: String, example: JSONValue, default: JSONValue? = nil, isUsual: Bool = false,
        with companions: JSONValue = [:]
    ) {
        (self.key, self.meaning, self.example) = (key, meaning, example)
        (self.default, self.isUsual, self.companions) = (`default`, isUsual, companions)
    }

    /// The same, with an example that needs `others` too.
    package func with(_ others: JSONValue) -> SettingDescription {
        SettingDescription(
            key, meaning, example: example, default: `default`, isUsual: isUsual, with: companions.merged(with: others))
    }

    /// What it adds to the JSON Schema of its value.
    var annotations: [String: JSONValue] {
        var annotations: [String: JSONValue] = ["description": .string(meaning), "examples": [example]]
        annotations["default"] = `default`
        return annotations
    }
}

/// Settings that say what each of them is for. The settings of a ``ProviderPlugin`` or a ``StorePlugin`` need not, but those
/// that do are explained wherever a person meets them.
public protocol DescribedSettings: Decodable {
    /// A description for each key that is read.
    static var descriptions: [SettingDescription] { get }
}
