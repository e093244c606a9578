import Foundation
import IdentityStoreFormat

/// The limits of a configuration document, checked before it is parsed.
enum DocumentLimits {
    /// Limit of a document in bytes: 1 MiB.
    static let maximumSize = 1 << 20
    static let maximumDepth = 64

    /// Checks the size, the encoding, the nesting and the texts of a document.
    /// - Throws: ``ConfigurationError/notADocument(detail:)`` for a document that is too large or not in UTF-8, and
    ///   `DecodingError` when it nests too deeply or has too many combining marks in a row.
    static func check(_ data: Data) throws {
        guard data.count <= maximumSize else {
            throw ConfigurationError.notADocument(detail: "it is larger than \(maximumSize) bytes.")
        }
        if let detail = SyntaxMistake.detail(ofEncoding: data) { throw ConfigurationError.notADocument(detail: detail) }
        try JSONNesting.check(data, limit: maximumDepth)
        try CombiningMarks.check(data)
    }
}
