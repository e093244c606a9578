import Foundation
import IdentityKit
import IdentityStoreFormat

/// A JSON parser (RFC 8259) for documents that must have one meaning. It refuses text after the document and everything that
/// `JSONReader` refuses. It also refuses repeated members, unless the caller accepts them, because parsers differ in which of
/// the members they use.
enum StrictJSON {
    typealias Failure = JSONReader.SyntaxError

    static func parse(_ data: Data) throws(Failure) -> JSONValue { try JSONValue(reading: data) }

    /// Parses a document that must be an object.
    /// - Parameter repeated: receives the name of each repeated member. The last of these members is kept. `nil` refuses
    ///   repeated members.
    /// - Throws: `malformed`, also for a value that is no object, or `duplicateMember`.
    static func parseObject(
        _ data: Data, keepingLast repeated: ((String) -> Void)? = nil
    ) throws(Failure) -> [String: JSONValue] {
        guard case .object(let members) = try JSONValue(reading: data, keepingLast: repeated) else { throw .malformed }
        return members
    }
}
