import Foundation

/// Any JSON value. Whole numbers that fit into `Int64` stay exact; other numbers are stored as `Double`.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// The members by name. Their order in the document is lost.
    case object([String: JSONValue])

    /// Parses one JSON document.
    /// - Throws: `DecodingError` when `data` is not JSON, nests deeper than 96 levels, or has a text with more than 256
    ///   combining marks in a row.
    public init(parsing data: Data) throws {
        self = try JSONDecoder.decodeForeign(JSONValue.self, from: data)
    }

    /// The member `key` of an object; `nil` for other values and absent members. Setting a member has an effect only on
    /// an object.
    public subscript(key: String) -> JSONValue? {
        get { objectValue?[key] }
        set {
            guard var members = objectValue else { return }
            members[key] = newValue
            self = .object(members)
        }
    }

    /// The string; `nil` for another value.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// Decodes a value of type `type`, such as `Bool.self` or `[String].self`; `nil` when the value does not fit the type.
    public func decoded<Value: Decodable>(as type: Value.Type) -> Value? {
        (try? JSONEncoder().encode(self)).flatMap { try? JSONDecoder().decode(type, from: $0) }
    }

    /// The boolean; `nil` for another value.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The whole number, even if it was written with a fraction of zero; `nil` for another value.
    package var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    package var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements of an array; `nil` for another value.
    package var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members of an object; `nil` for another value.
    package var objectValue: [String: JSONValue]? {
        if case .object(let value) = self { value } else { nil }
    }

    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Codable {
    /// Decodes any JSON value. A number without a fraction, even if written as `2.0`, becomes an `integer` if it fits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Try booleans before numbers, because some decoders accept `true` as the number 1.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            // Decode a number without a fraction as a whole number, because Foundation encodes it without the fraction.
            self = Int64(exactly: value).map(JSONValue.integer) ?? .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object. Of members with the same name, the last one is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
    public init(nilLiteral: ()) { self = .null }
}
