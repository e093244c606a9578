import Foundation
import IdentityKit
import IdentityStoreFormat

/// A JSON parser (RFC 8259) that refuses two members with the same name, of which parsers keep different ones, text after
/// the document, and whatever `JSONReader` refuses.
enum StrictJSON {
    typealias Failure = JSONReader.SyntaxError

    /// Parses one document.
    static func parse(_ data: Data) throws(Failure) -> JSONValue { try JSONValue(reading: data) }

    /// Parses a document that must be an object.
    static func parseObject(_ data: Data) throws(Failure) -> [String: JSONValue] {
        guard case .object(let members) = try parse(data) else { throw .malformed }
        return members
    }
}
