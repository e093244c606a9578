import Foundation
import IdentityTerminal

extension Terminal {
    /// Prints a JSON document with sorted keys and a line feed to standard output.
    /// - Throws: ``OutputError``, the error of an output that is a function, or the error of encoding the value.
    func json(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting = .prettyPrinted) throws {
        try bytes(Data((value.json(formatting) + "\n").utf8))
    }
}

extension Encodable {
    /// Encodes the value as a JSON document with sorted keys, unescaped slashes, and dates in ISO 8601.
    func json(_ formatting: JSONEncoder.OutputFormatting = .prettyPrinted) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
