import Foundation
import IdentityKit
import IdentityStoreFormat

/// A JSON parser (RFC 8259) that also refuses repeated members, of which different parsers keep different ones, text
/// after the document, and everything that `JSONReader` refuses.
enum StrictJSON {
    typealias Failure = JSONReader.SyntaxError

    static func parse(_ data: Data) throws(Failure) -> JSONValue { try JSONValue(reading: data) }

    /// Parses a document that must be an object.
    /// - Parameter repeated: receives the name of each repeated member, of which the last one is kept; `nil` to refuse
    ///   repeated members.
    static func parseObject(
        _ data: Data, keepingLast repeated: ((String) -> Void)? = nil
    ) throws(Failure) -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(reading: data, keepingLast: repeated) else { throw .malformed }
        return members
    }
}
