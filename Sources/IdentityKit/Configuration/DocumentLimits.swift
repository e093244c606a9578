import Foundation

/// The limits of a configuration document, checked before it is parsed: Foundation's property list parsers end the process
/// for one that nests deeply, and never return from one that contains itself.
enum DocumentLimits {
    /// The largest document, in bytes.
    static let maximumSize = 1 << 20
    /// The deepest level.
    static let maximumDepth = 64

    /// Why a document is not parsed.
    struct LimitError: Error {
        let detail: String

        static let depth = LimitError(detail: "it nests deeper than \(maximumDepth) levels.")
        static let repetition = LimitError(detail: "it contains itself, or one of its parts too often.")
        static let form = LimitError(detail: "it is not in the form of a property list.")
    }

    /// Whether `data` is meant to be a property list.
    static func isPropertyList(_ data: Data) -> Bool {
        isBinary(data) || data.first == UInt8(ascii: "<")
    }

    private static func isBinary(_ data: Data) -> Bool { data.starts(with: Data("bplist".utf8)) }

    /// Checks that a document can be parsed.
    /// - Throws: ``LimitError``, or `DecodingError`.
    static func check(_ data: Data) throws {
        guard data.count <= maximumSize else { throw LimitError(detail: "it is larger than \(maximumSize) bytes.") }
        if isBinary(data) {
            try BinaryPropertyListScanner(Array(data)).check()
        } else if isPropertyList(data) {
            var scanner = XMLPropertyListScanner(Array(data))
            try scanner.check()
        } else {
            try JSONNesting.check(data, limit: maximumDepth)
        }
    }
}
