extension ReplayPolicy: Decodable {
    /// The policies that are written as a text, without a parameter.
    private enum Word: String, Decodable, CaseIterable {
        case never, always, parentAlways, signInInstead
    }

    private static var seconds: SettingRule<Double> {
        .within(1...86_400, "Write a number of seconds from 1 to 86400.")
    }

    /// Reads `never`, `always`, `parentAlways` or `signInInstead`, or an object whose member `window` is a number of
    /// seconds from 1 to 86400.
    /// - Throws: `ConfigurationError`, or the decoder's error, for an object without a valid `window`; `DecodingError`
    ///   for any other value.
    public init(from decoder: any Decoder) throws {
        if let object = try? SettingsReader(decoder) {
            let window = try object.read("window", Self.seconds, means: "How many seconds.", example: 30)
            self = .window(.seconds(window))
            return
        }
        switch try? decoder.singleValueContainer().decode(Word.self) {
        case .never?: self = .never
        case .always?: self = .always
        case .parentAlways?: self = .parentAlways
        case .signInInstead?: self = .signInInstead
        case nil:
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "Accepted: \(words), and {\"window\": 30} with a number of seconds."))
        }
    }
}

extension ReplayPolicy: SampledSetting {
    package static let sample = ReplayPolicy.never

    package static var schema: JSONValue {
        [
            "anyOf": [
                ["type": "string", "enum": .array(Word.allCases.map { .string($0.rawValue) })],
                [
                    "type": "object", "additionalProperties": false, "required": ["window"],
                    "properties": ["window": seconds.schema ?? [:]],
                ],
            ]
        ]
    }
}
