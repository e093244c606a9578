import IdentityKit

extension InsForgeErrorResponse {
    /// Whether the server passes on an error of its database. What the database forbids comes as `FORBIDDEN`, the code of an
    /// address that is not verified.
    var isOfDatabase: Bool {
        error.hasPrefix("DATABASE_") || error == "MISSING_FIELD" || message.isOfDatabase
    }
}

extension String {
    /// A text of the server for a person: one line without tokens and without errors of the database, which reach clients
    /// under many codes, and in a callback under none.
    func asPersonalText(or fallback: String) -> String {
        isOfDatabase ? fallback : asServerText(or: fallback)
    }

    /// Whether this is an error of PostgreSQL or its driver, which names tables, columns and policies.
    fileprivate var isOfDatabase: Bool {
        // The beginning is enough, and bounds the cost of a long text.
        DatabaseText(String(unicodeScalars.prefix(1000)).lowercased()).isOfDatabase
    }
}

/// Recognizes errors of a database byte by byte: regular expressions took most of the time of reading a response, and
/// backtracked at every word of a long one.
private struct DatabaseText {
    private let bytes: [UInt8]

    /// - Parameter text: in lower case.
    init(_ text: String) { bytes = Array(text.utf8) }

    var isOfDatabase: Bool {
        Self.phrases.contains { phrase in firstIndex(of: phrase, from: 0) != nil }
            || saysThatSomethingIsMissing || namesConstraint || isStatement
    }

    private static let phrases: [[UInt8]] = [
        "duplicate key value", "null value in column", "violates row-level security",
        "permission denied for table", "permission denied for relation", "permission denied for schema",
        "permission denied for function", "permission denied for sequence", "permission denied for database",
        "permission denied for column", "permission denied for view", "syntax error at or near",
        "invalid input syntax for", "invalid input value for", "current transaction is aborted", "deadlock detected",
        "could not serialize access", "terminating connection", "too many clients", "sqlstate", "econnrefused",
        "enotfound", "etimedout", "econnreset", "connection terminated",
    ].map { Array($0.utf8) }

    // MARK: relation "users" does not exist

    private static let absence = Array(" does not exist".utf8)
    private static let kinds: [[UInt8]] = [
        "relation", "table", "schema", "type", "role", "database", "constraint", "column",
    ].map { Array("\($0) ".utf8) }
    private static let function = Array("function ".utf8)
    private static let column = Array("column ".utf8)

    /// `relation "…" does not exist`, `column … of relation "…" does not exist`, `function …(…) does not exist`.
    private var saysThatSomethingIsMissing: Bool {
        var start = 0
        while let end = firstIndex(of: Self.absence, from: start) {
            if namesObject(in: bytes[start..<end]) { return true }
            start = end + 1
        }
        return false
    }

    /// Whether `text` ends with the name of an object, and with what kind of object that is before it.
    private func namesObject(in text: ArraySlice<UInt8>) -> Bool {
        switch text.last {
        case UInt8(ascii: "\""):
            guard let name = text.dropLast().lastIndex(of: UInt8(ascii: "\"")) else { return false }
            return Self.kinds.contains { text[..<name].hasSuffix($0) }
        case UInt8(ascii: ")"):
            guard let arguments = text.lastIndex(of: UInt8(ascii: "(")) else { return false }
            let name = text[..<arguments].suffix(while: Self.isPartOfQuotedName)
            return !name.isEmpty && text[..<name.startIndex].hasSuffix(Self.function)
        default:
            let name = text.suffix(while: Self.isPartOfName)
            return !name.isEmpty && text[..<name.startIndex].hasSuffix(Self.column)
        }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func isPartOfQuotedName(_ byte: UInt8) -> Bool { isPartOfName(byte) || byte == UInt8(ascii: "\"") }

    // MARK: violates unique constraint

    private static let violation = Array("violates ".utf8)
    private static let constraint = Array("constraint".utf8)

    /// `violates … constraint`, with nothing but words between the two.
    private var namesConstraint: Bool {
        var start = 0
        while let found = firstIndex(of: Self.violation, from: start) {
            let words = bytes[(found + Self.violation.count)...].prefix(while: Self.isPartOfWords)
            let end = firstIndex(of: Self.constraint, from: words.startIndex)
            if let end, end + Self.constraint.count <= words.endIndex { return true }
            start = words.endIndex
        }
        return false
    }

    private static func isPartOfWords(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
    }

    // MARK: select … where …

    private static let select = Array("select ".utf8)
    private static let condition = [" where ", "$1"].map { Array($0.utf8) }
    private static let definitions = ["alter table", "create table"].map { Array($0.utf8) }
    /// What stands before the name of a table, and what behind it.
    private static let changes = [("insert into ", " "), ("update ", " set "), ("delete from ", " ")].map {
        (start: Array($0.0.utf8), end: Array($0.1.utf8))
    }

    private var isStatement: Bool {
        if Self.definitions.contains(where: bytes.starts) { return true }
        if bytes.starts(with: Self.select) {
            return Self.condition.contains { firstIndex(of: $0, from: Self.select.count - 1) != nil }
        }
        return Self.changes.contains { change in
            guard bytes.starts(with: change.start) else { return false }
            let rest = bytes[change.start.count...]
            let name = rest.prefix(while: Self.isPartOfQuotedName)
            let end = rest[name.endIndex...]
            return !name.isEmpty && (end.isEmpty || end.starts(with: change.end))
        }
    }

    // MARK: Bytes

    private func firstIndex(of phrase: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= phrase.count else { return nil }
        return (start...(bytes.count - phrase.count)).first {
            bytes[$0] == phrase.first && bytes[$0...].starts(with: phrase)
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }

    fileprivate func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[(lastIndex { !isWanted($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
