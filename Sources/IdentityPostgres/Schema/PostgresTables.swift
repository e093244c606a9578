import IdentityKit

/// Names of a store's tables, which an operator may choose.
public struct PostgresTables: Sendable, Equatable {
    /// The schema that contains the tables; `nil` for the first one in the role's search path.
    public let schema: String?
    /// Prefix of the tables' names.
    public let prefix: String

    /// The tables `identity_records`, `identity_leases`, `identity_changes`, `identity_audit` and `identity_schema` in
    /// the role's search path.
    public static let standard = PostgresTables(unchecked: nil, "identity_")

    /// Names for the tables.
    /// - Throws: `TokenStoreError.unsupported` for a name with characters other than lower-case letters, digits and
    ///   underscores, or with more than 24 characters.
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

    /// Whether a text can be a name. Limited, because PostgreSQL truncates names after 63 bytes.
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
    /// Quoted name of an index.
    func index(_ name: String) -> String { "\"\(prefix)\(name)\"" }

    private func qualified(_ name: String) -> String {
        (schema.map { "\"\($0)\"." } ?? "") + "\"\(prefix)\(name)\""
    }
}
