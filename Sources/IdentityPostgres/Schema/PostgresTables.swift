import IdentityKit

/// The schema and the name prefix of a store's tables, which an operator may choose.
public struct PostgresTables: Sendable, Equatable {
    /// The schema that contains the tables; `nil` for the first one in the role's search path.
    public let schema: String?
    /// Prefix of the names of all tables and indexes; by default `identity_`.
    public let prefix: String

    /// The tables `identity_records`, `identity_leases`, `identity_changes`, `identity_audit` and `identity_schema` in
    /// the role's search path.
    public static let standard = PostgresTables(unchecked: nil, "identity_")

    /// Makes the names of the tables from a schema and a prefix.
    /// - Throws: `TokenStoreError.unsupported` for a schema or a prefix that does not begin with a lower-case letter,
    ///   has more than 24 characters, or has characters other than lower-case ASCII letters, digits and underscores.
    public init(schema: String? = nil, prefix: String = "identity_") throws {
        for (member, name) in [("schema", schema), ("tablePrefix", prefix)] {
            guard let name else { continue }
            guard Self.isName(name) else {
                throw TokenStoreError.unsupported(
                    detail: "\"\(member)\" is \"\(name)\". Use at most 24 lower-case letters, digits and underscores, "
                        + "and begin with a letter")
            }
        }
        self.init(unchecked: schema, prefix)
    }

    private init(unchecked schema: String?, _ prefix: String) {
        self.schema = schema
        self.prefix = prefix
    }

    /// Whether a text can be a schema or a prefix. The limit of 24 bytes leaves room for the rest of a name, because
    /// PostgreSQL truncates names after 63 bytes.
    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return text.utf8.count <= 24
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
            }
    }

    var records: String { qualified("records") }
    var leases: String { qualified("leases") }
    var changes: String { qualified("changes") }
    var audit: String { qualified("audit") }
    var versions: String { qualified("schema") }
    /// Quoted name of an index, without a schema, because PostgreSQL creates an index in the schema of its table.
    func index(_ name: String) -> String { "\"\(prefix)\(name)\"" }

    private func qualified(_ name: String) -> String {
        (schema.map { "\"\($0)\"." } ?? "") + "\"\(prefix)\(name)\""
    }
}
