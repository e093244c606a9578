import Foundation
import IdentityKit
import StoreFormat

/// A JSON parser (RFC 8259) that refuses two members with the same name, of which parsers keep different ones, text after
/// the document, and whatever `JSONReader` refuses.
enum StrictJSON {
    typealias Failure = JSONReader.SyntaxError

    /// Parses one document.
    static func parse(_ data: Data) throws(Failure) -> JSONValue {
        var reader = JSONReader(Array(data))
        let value = try Self.value(&reader)
        try reader.end()
        return value
    }

    /// Parses a document that must be an object.
    static func parseObject(_ data: Data) throws(Failure) -> [String: JSONValue] {
        guard case .object(let members) = try parse(data) else { throw .malformed }
        return members
    }

    private static func value(_ reader: inout JSONReader) throws(Failure) -> JSONValue {
        switch reader.kind() {
        case .object:
            var members: [String: JSONValue] = [:]
            try reader.members { name, reader throws(Failure) in
                let value = try Self.value(&reader)
                guard members.updateValue(value, forKey: name) == nil else { throw .duplicateMember(name) }
            }
            return .object(members)
        case .array:
            var elements: [JSONValue] = []
            try reader.elements { reader throws(Failure) in elements.append(try value(&reader)) }
            return .array(elements)
        case .string: return .string(try reader.string())
        case .number:
            return switch try reader.number() {
            case .integer(let integer): .integer(integer)
            case .fraction(let number): .number(number)
            }
        case .bool: return .bool(try reader.bool())
        case .null:
            try reader.null()
            return .null
        }
    }
}
