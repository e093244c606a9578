/// A value of a settings document that says itself what it looks like in the JSON Schema, which is else made by reading.
package protocol SampledSetting: Decodable {
    static var schema: JSONValue { get }
    static var sample: Self { get }
}

/// A number of a settings document that must be within bounds, which the JSON Schema also has.
package protocol BoundedNumber: SampledSetting {
    static var bounds: ClosedRange<Double> { get }
    /// What to write instead of a number out of bounds.
    static var advice: String { get }

    init(number: Double)
}

extension BoundedNumber {
    /// Reads a number.
    /// - Throws: `DecodingError`, or ``ConfigurationError``.
    package init(from decoder: any Decoder) throws {
        let number = try decoder.singleValueContainer().decode(Double.self)
        guard Self.bounds.contains(number) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: Self.advice))
        }
        self.init(number: number)
    }

    package static var schema: JSONValue {
        ["type": "number", "minimum": .number(bounds.lowerBound), "maximum": .number(bounds.upperBound)]
    }

    package static var sample: Self { Self(number: bounds.lowerBound) }
}
