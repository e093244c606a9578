import IdentityKit

extension InsForgeErrorResponse {
    /// Whether the server passed on an error of its database. The code alone does not show this: the server uses `FORBIDDEN`
    /// for a denial by the database, but also for an address that is not verified.
    var isOfDatabase: Bool {
        error.hasPrefix("DATABASE_") || error == "MISSING_FIELD" || message.isOfDatabase
    }
}

extension String {
    /// Returns the server's text on one line, without tokens and cut off after 200 Unicode scalars.
    /// - Parameter fallback: the text to return for an empty line, and for an error of the database. The server sends such
    ///   errors under many codes, and in callbacks without a code.
    func asPersonalText(or fallback: String) -> String {
        isOfDatabase ? fallback : asServerText(or: fallback)
    }

    /// Whether the text is an error of PostgreSQL or its driver, which could reveal names of tables, columns and policies.
    fileprivate var isOfDatabase: Bool {
        // Search only the first 1000 Unicode scalars, so that a long text costs little.
        DatabaseText(String(unicodeScalars.prefix(1000)).lowercased()).isOfDatabase
    }
}

/// Recognizes errors of a database byte by byte. Regular expressions would be much slower, because they backtrack at
/// every word of a long text.
private struct DatabaseText {
    private let bytes: [UInt8]

    /// - Parameter text: the text in lower case.
    init(_ text: String) { bytes = Array(text.utf8) }

    var isOfDatabase: Bool {
        Self.phrases.contains { phrase in firstIndex(of: phrase, from: 0) != nil }
            || saysThatSomethingIsMissing || namesConstraint || isStatement
    }

    private static let phrases = [
        "duplicate key value", "null value in column", "violates row-level security",
        "permission denied for table", "permission denied for relation", "permission denied for schema",
        "permission denied for function", "permission denied for sequence", "permission denied for database",
        "permission denied for column", "permission denied for view", "syntax error at or near",
        "invalid input syntax for", "invalid input value for", "current transaction is aborted", "deadlock detected",
        "could not serialize access", "terminating connection", "too many clients", "sqlstate", "econnrefused",
        "enotfound", "etimedout", "econnreset", "connection terminated",
    ]

    // MARK: Missing objects

    private static let kinds = [
        "relation ", "table ", "schema ", "type ", "role ", "database ", "constraint ", "column ",
    ]

    /// Whether the text contains the kind and the name of a missing object, such as `relation "…" does not exist` or
    /// `function …(…) does not exist`.
    private var saysThatSomethingIsMissing: Bool {
        var start = 0
        while let end = firstIndex(of: " does not exist", from: start) {
            if namesObject(in: bytes[start..<end]) { return true }
            start = end + 1
        }
        return false
    }

    /// Returns whether `text` ends with the kind and the name of an object, such as `relation "users"`.
    private func namesObject(in text: ArraySlice<UInt8>) -> Bool {
        switch text.last {
        case UInt8(ascii: "\""):
            guard let name = text.dropLast().lastIndex(of: UInt8(ascii: "\"")) else { return false }
            return Self.kinds.contains { text[..<name].hasSuffix($0) }
        case UInt8(ascii: ")"):
            guard let arguments = text.lastIndex(of: UInt8(ascii: "(")) else { return false }
            let name = text[..<arguments].suffix(while: Self.isPartOfQuotedName)
            return !name.isEmpty && text[..<name.startIndex].hasSuffix("function ")
        default:
            let name = text.suffix(while: Self.isPartOfName)
            return !name.isEmpty && text[..<name.startIndex].hasSuffix("column ")
        }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        "abcdefghijklmnopqrstuvwxyz0123456789_.".utf8.contains(byte)
    }

    private static func isPartOfQuotedName(_ byte: UInt8) -> Bool { isPartOfName(byte) || byte == UInt8(ascii: "\"") }

    // MARK: Violated constraints

    /// Whether the text contains `violates … constraint`, with only letters, hyphens and spaces in between.
    private var namesConstraint: Bool {
        var start = 0
        while let found = firstIndex(of: "violates ", from: start) {
            let words = bytes[found...].dropFirst("violates ".count).prefix(while: Self.isPartOfWords)
            let end = firstIndex(of: "constraint", from: words.startIndex)
            if let end, end + "constraint".count <= words.endIndex { return true }
            start = words.endIndex
        }
        return false
    }

    private static func isPartOfWords(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    // MARK: SQL statements

    /// The SQL text before and after the name of a table, for each statement that changes rows.
    private static let changes = [("insert into ", " "), ("update ", " set "), ("delete from ", " ")]

    private var isStatement: Bool {
        if bytes.starts(with: "alter table".utf8) || bytes.starts(with: "create table".utf8) { return true }
        if bytes.starts(with: "select ".utf8) {
            return [" where ", "$1"].contains { firstIndex(of: $0, from: "select".count) != nil }
        }
        return Self.changes.contains { start, end in
            guard bytes.starts(with: start.utf8) else { return false }
            let name = bytes[start.count...].prefix(while: Self.isPartOfQuotedName)
            let rest = bytes[name.endIndex...]
            return !name.isEmpty && (rest.isEmpty || rest.starts(with: end.utf8))
        }
    }

    // MARK: Bytes

    private func firstIndex(of phrase: String, from start: Int) -> Int? {
        let phrase = phrase.utf8
        guard let first = phrase.first, bytes.count - start >= phrase.count else { return nil }
        return (start...(bytes.count - phrase.count)).first {
            bytes[$0] == first && bytes[$0...].starts(with: phrase)
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ end: String) -> Bool { suffix(end.utf8.count).elementsEqual(end.utf8) }

    fileprivate func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
