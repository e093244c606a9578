import Foundation

/// How deep a JSON document may nest before a parser that calls itself is let at it.
///
/// Foundation's reads up to 512 levels, for which the stack of a thread other than the first is too small: the process
/// ends. Nothing of these protocols comes near the limit.
package enum JSONNesting {
    /// The deepest level that is read.
    package static let maximum = 96

    /// Passes for a document that nests no deeper than `limit`, in one pass and without a look at the rest of its grammar.
    /// - Throws: `DecodingError` for one that does, and for bytes that no JSON has (RFC 8259 section 8.1): in another
    ///   encoding than UTF-8 the brackets could not be found.
    package static func check(_ data: Data, limit: Int = maximum) throws {
        try data.withUnsafeBytes { try check($0, limit: limit) }
    }

    private static func check(_ bytes: UnsafeRawBufferPointer, limit: Int) throws {
        var (depth, isInString, isEscaped) = (0, false, false)
        for byte in bytes {
            guard byte != 0 else { throw defect("It is not in UTF-8.") }
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                guard depth <= limit else { throw defect("It nests deeper than \(limit) levels.") }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
    }

    private static func defect(_ detail: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: detail))
    }
}

extension JSONDecoder {
    /// Decodes a document that somebody else wrote.
    /// - Throws: `DecodingError`, also for one that nests too deep.
    package static func decodeForeign<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONNesting.check(data)
        return try JSONDecoder().decode(type, from: data)
    }
}
