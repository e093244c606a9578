import Foundation
import IdentityStoreFormat

extension JSONValue {
    /// Parses a document strictly, so that other parsers read the same values from an accepted document. Refuses everything
    /// that ``JSONReader`` refuses, and by default objects with two members of the same name. Takes a fifth of the time of
    /// Foundation's decoder.
    /// - Parameters:
    ///   - data: the document.
    ///   - deepest: the greatest depth of nested arrays and objects that is accepted.
    ///   - repeated: receives the name of each repeated member of an object. The last value of such a member is used.
    ///     If `nil`, such objects are refused.
    package init(
        reading data: Data, deepest: Int = 32, keepingLast repeated: ((String) -> Void)? = nil
    ) throws(JSONReader.SyntaxError) {
        var reader = JSONReader(Array(data), deepest: deepest)
        try self.init(&reader, keepingLast: repeated)
        try reader.end()
    }

    /// Reads the next value, and leaves the text after the value to the caller.
    init(
        _ reader: inout JSONReader, keepingLast repeated: ((String) -> Void)? = nil
    ) throws(JSONReader.SyntaxError) {
        switch reader.kind() {
        case .object:
            var members: [String: JSONValue] = [:]
            try reader.members { name, reader throws(JSONReader.SyntaxError) in
                let value = try JSONValue(&reader, keepingLast: repeated)
                guard members.updateValue(value, forKey: name) != nil else { return }
                guard let repeated else { throw .duplicateMember(name) }
                repeated(name)
            }
            self = .object(members)
        case .array:
            var elements: [JSONValue] = []
            try reader.elements { reader throws(JSONReader.SyntaxError) in
                elements.append(try JSONValue(&reader, keepingLast: repeated))
            }
            self = .array(elements)
        case .string: self = .string(try reader.string())
        case .number:
            let number = try reader.number()
            self = number.wholeValue.map(JSONValue.integer) ?? .number(number.value)
        case .bool: self = .bool(try reader.bool())
        case .null:
            try reader.null()
            self = .null
        }
    }
}
