import Foundation

/// The limits of a configuration document, checked before it is parsed.
enum DocumentLimits {
    /// Limit of a document in bytes.
    static let maximumSize = 1 << 20
    static let maximumDepth = 64

    /// Checks that a document can be parsed.
    /// - Throws: ``ConfigurationError/notADocument(detail:)``, or `DecodingError`.
    static func check(_ data: Data) throws {
        guard data.count <= maximumSize else {
            throw ConfigurationError.notADocument(detail: "it is larger than \(maximumSize) bytes.")
        }
        if let detail = SyntaxMistake.detail(ofEncoding: data) { throw ConfigurationError.notADocument(detail: detail) }
        try JSONNesting.check(data, limit: maximumDepth)
    }
}
