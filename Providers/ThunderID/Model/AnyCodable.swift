import Foundation
import IdentityKit

/// Any JSON value, for claims and attributes of unknown types.
///
/// ``value`` converts it to a Swift value: `String`, `Bool`, `Int`, `Double`, `[AnyCodable]`, `[String: AnyCodable]`,
/// or `NSNull`.
public struct AnyCodable: Sendable, Hashable, Codable {
    /// The value as JSON.
    public let json: JSONValue

    /// Wraps a JSON value.
    public init(json: JSONValue) {
        self.json = json
    }

    /// Wraps a Swift value: a string, number, Boolean, date (as ISO 8601 text), array, dictionary, or another
    /// `AnyCodable`. Anything else becomes `null`.
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

    /// Decodes whatever the decoder holds.
    public init(from decoder: any Decoder) throws {
        json = try JSONValue(from: decoder)
    }

    /// Encodes the value as itself.
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

    /// Foundation represents Booleans as a kind of `NSNumber`.
    private static func json(of number: NSNumber) -> JSONValue {
        let kind = String(cString: number.objCType)
        if kind == "c" || kind == "B", number.intValue == 0 || number.intValue == 1 { return .bool(number.boolValue) }
        return ["f", "d"].contains(kind) ? .number(number.doubleValue) : .integer(number.int64Value)
    }
}

extension AnyCodable: CustomStringConvertible {
    /// The value as a text.
    public var description: String { String(describing: value) }
}

extension JSONValue {
    /// The value as `JSONSerialization` returns it: `[Any]` and `[String: Any]` of plain values.
    var plain: Any {
        switch self {
        case .array(let values): values.map(\.plain)
        case .object(let members): members.mapValues(\.plain)
        case .null, .bool, .integer, .number, .string: AnyCodable(json: self).value
        }
    }
}
