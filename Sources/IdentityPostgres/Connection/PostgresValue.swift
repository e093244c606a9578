#if PostgreSQL
import Foundation

/// The value of a statement's parameter. Parameters are always bound in PostgreSQL's binary form, never written into a
/// statement.
enum PostgresValue: Sendable, Equatable {
    case text(String)
    case bytes(Data)
    case integer(Int64)
    case null

    /// Identifier (OID) of the type in PostgreSQL's catalog; 0 for null, so that the server infers the type.
    var type: UInt32 {
        switch self {
        case .text: 25
        case .bytes: 17
        case .integer: 20
        case .null: 0
        }
    }

    /// Binary form for the protocol; `nil` for null.
    var wireForm: [UInt8]? {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let data): Array(data)
        case .integer(let number): withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .null: nil
        }
    }
}

/// The rows of a result, with the bytes of each column.
struct PostgresRows: Sendable {
    struct Row: Sendable {
        let columns: [Data?]

        /// The bytes in a column; `nil` for null, and for a column that the row does not have.
        func bytes(_ column: Int) -> Data? { columns.indices.contains(column) ? columns[column] : nil }

        /// The 64-bit integer in a column; `nil` for null, for a missing column, and for a value that is not eight
        /// bytes long.
        func integer(_ column: Int) -> Int64? {
            guard let bytes = bytes(column), bytes.count == 8 else { return nil }
            return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }

        /// The text in a column; `nil` for null, for a missing column, and for bytes that are not UTF-8.
        func text(_ column: Int) -> String? { bytes(column).flatMap { String(data: $0, encoding: .utf8) } }

        /// The boolean in a column; `nil` for null, for a missing column, and for a value that is not one byte long.
        func flag(_ column: Int) -> Bool? { bytes(column).flatMap { $0.count == 1 ? $0.first != 0 : nil } }
    }

    let rows: [Row]
    var first: Row? { rows.first }
}

/// A statement with the placeholders `$1`, `$2` and so on for its parameters.
struct PostgresStatement: Sendable {
    /// Name under which a direct connection keeps the statement prepared.
    let name: String
    let text: String

    /// Statements for `psql` that show the server's plan for this statement.
    var explanation: String {
        let places = (1...20).prefix { text.contains("$\($0)") }.map { _ in "NULL" }
        let values = places.isEmpty ? "" : "(\(places.joined(separator: ", ")))"
        return "PREPARE explained AS \(text); EXPLAIN (COSTS OFF) EXECUTE explained\(values); DEALLOCATE explained;"
    }
}
#endif
