import Foundation

/// Checks how deeply a JSON document nests before Foundation parses it.
///
/// Foundation's parser is recursive and accepts up to 512 levels. So many levels overflow the small stack of a secondary
/// thread, which ends the process.
package enum JSONNesting {
    /// The deepest level that a document may have, unless the caller sets another limit.
    package static let maximum = 96

    /// Checks in one pass that a document nests no deeper than `limit`, without checking the rest of its grammar.
    /// - Throws: `DecodingError`, also for a document with a zero byte, which UTF-16 and UTF-32 contain but JSON in UTF-8
    ///   does not (RFC 8259 section 8.1).
    package static func check(_ data: Data, limit: Int = maximum) throws {
        try data.withUnsafeBytes { try check($0, limit: limit) }
    }

    private static func check(_ bytes: UnsafeRawBufferPointer, limit: Int) throws {
        var (depth, texts) = (0, JSONTexts())
        for byte in bytes {
            guard byte != 0 else { throw defect("It is not in UTF-8.") }
            if texts.have(byte) { continue }
            switch byte {
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

/// Tracks, byte by byte, whether a JSON document is inside a string literal, where brackets and braces are only text.
package struct JSONTexts {
    /// Whether a string literal has begun and has not ended yet.
    package private(set) var isOpen = false
    private var isEscaped = false

    package init() {}

    /// Consumes the next byte of the document.
    /// - Returns: whether the byte continues or ends a string literal; `false` for the quotation mark that begins one.
    package mutating func have(_ byte: UInt8) -> Bool {
        guard isOpen else {
            isOpen = byte == UInt8(ascii: "\"")
            return false
        }
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else {
            isOpen = byte != UInt8(ascii: "\"")
        }
        return true
    }
}
