/// A number of a settings document that is only good within bounds, which its schema names too.
///
/// Settings read one with a type of their own, so that what is checked and what editors are told stand in one place.
package protocol BoundedNumber: Decodable {
    /// The least and the greatest number.
    static var bounds: ClosedRange<Double> { get }
    /// What to write instead of a number beyond them.
    static var advice: String { get }

    /// A number within the bounds.
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

    /// The bounds, in the words of JSON Schema.
    static var schema: JSONValue {
        ["type": "number", "minimum": .number(bounds.lowerBound), "maximum": .number(bounds.upperBound)]
    }
}
