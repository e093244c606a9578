import Foundation
import IdentityKit

/// Any JSON value, for claims and attributes of unknown types.
///
/// ``value`` converts it to a Swift value: `String`, `Bool`, `Int`, `Double`, `[AnyCodable]`, `[String: AnyCodable]`,
/// or `NSNull`.
public struct AnyCodable: Sendable, Hashable, Codable {
    /// The wrapped value as an enumeration of the JSON kinds, for a `switch`.
    public let json: JSONValue

    /// Wraps a JSON value without a conversion.
    public init(json: JSONValue) {
        self.json = json
    }

    /// Wraps a Swift value: a string, `Secret`, number, Boolean, URL, date (as ISO 8601 text), `JSONValue`,
    /// `AnyCodable`, array, or dictionary with strings as keys. Any other value becomes `null`, and so does a date
    /// before the year 1 or after the year 9999.
    public init(_ value: Any) {
        json = Self.json(of: value)
    }

    public var value: Any {
        switch json {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .string(let value): value
        case .array(let values): values.map(AnyCodable.init(json:))
        case .object(let members): members.mapValues(AnyCodable.init(json:))
        }
    }

    /// Decodes any JSON value, including `null`.
    public init(from decoder: any Decoder) throws {
        json = try JSONValue(from: decoder)
    }

    /// Encodes the JSON value itself, without a container around it.
    public func encode(to encoder: any Encoder) throws {
        try json.encode(to: encoder)
    }

    private static func json(of value: Any) -> JSONValue {
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return json(of: number) }
        return switch value {
        case let value as AnyCodable: value.json
        case let value as JSONValue: value
        case let value as String: .string(value)
        case let value as Secret: .string(value.reveal())
        case let value as [String: Any]: .object(value.mapValues(json(of:)))
        case let value as [Any]: .array(value.map(json(of:)))
        case let value as Date where value.isOnCalendar: .string(value.ISO8601Format())
        case let value as URL: .string(value.absoluteString)
        case let value as any BinaryInteger: Int64(exactly: value).map(JSONValue.integer) ?? .number(Double(value))
        case let value as any BinaryFloatingPoint: .number(Double(value))
        case let value as Bool: .bool(value)
        default: .null
        }
    }

    /// Converts an `NSNumber`. Foundation stores Booleans in `NSNumber`, too, with the type `c` or `B`.
    private static func json(of number: NSNumber) -> JSONValue {
        let kind = String(cString: number.objCType)
        if kind == "c" || kind == "B", number.intValue == 0 || number.intValue == 1 { return .bool(number.boolValue) }
        let isLarge = kind == "Q" && number.uint64Value > UInt64(Int64.max)
        return isLarge || ["f", "d"].contains(kind) ? .number(number.doubleValue) : .integer(number.int64Value)
    }
}

extension AnyCodable: CustomStringConvertible {
    /// The ``value`` as Swift prints it, which is not JSON.
    public var description: String { String(describing: value) }
}

extension JSONValue {
    /// The value in the form that `JSONSerialization` returns: arrays as `[Any]` and objects as `[String: Any]`,
    /// without `AnyCodable` inside.
    var plain: Any {
        switch self {
        case .array(let values): values.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        case .null, .bool, .integer, .number, .string: AnyCodable(json: self).value
        }
    }
}
