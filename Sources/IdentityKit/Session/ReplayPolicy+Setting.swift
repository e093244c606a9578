extension ReplayPolicy: Decodable {
    /// The policies that need nothing beside their name.
    private enum Word: String, Decodable, CaseIterable {
        case never, always, parentAlways, signInInstead
    }

    private enum CodingKeys: String, CodingKey {
        case window
    }

    private struct Seconds: BoundedNumber {
        static let bounds = 1.0...86_400
        static let advice = "Write a number of seconds from 1 to 86400."
        let number: Double
    }

    /// Reads `never`, `always`, `parentAlways` or `signInInstead`, or an object whose member `window` is a number of
    /// seconds.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: CodingKeys.self) {
            self = .window(.seconds(try object.decode(Seconds.self, forKey: .window).number))
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
                    "properties": ["window": Seconds.schema],
                ],
            ]
        ]
    }
}

extension SettingDescription {
    /// `replay`, which the types of servers with refresh tokens read.
    package static let replay = SettingDescription(
        "replay",
        "What the server makes of a refresh token that comes twice: a theft (never), nothing (always), nothing until its successor is used (parentAlways) or for some seconds (window); with signInInstead it never comes twice.",
        example: ["window": 30], default: "never")
}
