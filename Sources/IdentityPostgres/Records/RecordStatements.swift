#if PostgreSQL
import Foundation
import IdentityKit
import IdentityStoreFormat

/// The statements about records. Each statement finds its rows by an index.
struct RecordStatements: Sendable {
    let read: PostgresStatement
    private let records: String
    /// Expression for a record's age in milliseconds, by the database's clock, which all machines share.
    private let age: String
    let list: PostgresStatement
    let create: PostgresStatement
    let replace: PostgresStatement
    /// Writes a version that the database has lost over the earlier version that it still has. The time of writing becomes that
    /// of the lost version. If this program wrote the lost version, its audit entry is added again.
    let restore: PostgresStatement
    let collections: PostgresStatement
    let reseal: PostgresStatement
    let remove: PostgresStatement
    let forget: PostgresStatement
    /// The largest number of records that ``remove`` examines in one statement.
    static let mostPassed = 1_000

    /// Makes the statements for the given tables.
    /// - Parameters:
    ///   - tables: the names of the tables.
    ///   - isAudited: whether a write with a `SessionAction`, such as a sign-in, adds an entry to the audit trail.
    init(_ tables: PostgresTables, isAudited: Bool) {
        let columns = "name, generation, content"
        age = "(extract(epoch FROM clock_timestamp() - written_at) * 1000)::bigint"
        records = tables.records
        read = PostgresStatement(
            name: "read",
            text: """
                SELECT \(columns), collection, \(age) FROM \(tables.records)
                WHERE collection = $1::text AND id = $2::bytea
                """)
        list = PostgresStatement(
            name: "list",
            text: """
                SELECT \(columns), id FROM \(tables.records)
                WHERE collection = $1::text AND id > $2::bytea ORDER BY id LIMIT $3::bigint
                """)
        let writes = WriteStatements(tables: tables, isAudited: isAudited)
        create = writes.create
        replace = writes.replace
        restore = writes.restore
        collections = Self.collections(in: tables)
        // The generation stays, and no change is reported, because only the encryption of the content changes.
        reseal = PostgresStatement(
            name: "reseal",
            text: """
                UPDATE \(tables.records) SET content = $5::bytea
                WHERE collection = $1::text AND id = $2::bytea AND generation = $3::bigint AND content = $4::bytea
                RETURNING generation
                """)
        remove = Self.removal(from: tables)
        forget = PostgresStatement(
            name: "forget",
            text: """
                WITH removed AS (
                    DELETE FROM \(tables.records) WHERE collection = $1::text AND id = $2::bytea RETURNING generation),
                ended AS (DELETE FROM \(tables.leases) WHERE collection = $1::text AND id = $2::bytea),
                told AS (INSERT INTO \(tables.changes) (record) SELECT 0 FROM removed)
                SELECT generation FROM removed
                """)
    }

    /// Returns the statement that lists the collections. The server jumps from one collection to the next by the index, without
    /// reading the records in between.
    private static func collections(in tables: PostgresTables) -> PostgresStatement {
        PostgresStatement(
            name: "collections",
            text: """
                WITH RECURSIVE found AS (
                    (SELECT collection FROM \(tables.records) ORDER BY collection LIMIT 1)
                    UNION ALL
                    SELECT (SELECT collection FROM \(tables.records) WHERE collection > found.collection
                        ORDER BY collection LIMIT 1) FROM found WHERE found.collection IS NOT NULL)
                SELECT collection FROM found WHERE collection IS NOT NULL
                """)
    }

    /// Returns the statement that removes erased records that were written before a given time. Each execution examines one
    /// page of the table, because an index of erased records would slow down each erasure. A record in the collection
    /// `refreshes` counts as erased when no session has its name, or when that session is erased.
    private static func removal(from tables: PostgresTables) -> PostgresStatement {
        PostgresStatement(
            name: "remove",
            text: """
                WITH part AS (
                    SELECT ctid, collection, id, content IS NULL
                        OR collection = '\(StoreKey.Collection.refreshes.rawValue)' AND coalesce((
                            SELECT session.content IS NULL FROM \(tables.records) AS session
                            WHERE session.collection = '\(StoreKey.Collection.accounts.rawValue)'
                                AND session.id = record.id), true) AS is_over
                    FROM \(tables.records) AS record WHERE (collection, id) > ($1::text, $2::bytea)
                    ORDER BY collection, id LIMIT \(Self.mostPassed)),
                removed AS (
                    DELETE FROM \(tables.records) WHERE ctid = ANY (ARRAY (SELECT ctid FROM part WHERE is_over))
                        AND written_at < to_timestamp($3::bigint / 1000.0)
                    RETURNING generation),
                told AS (INSERT INTO \(tables.changes) (record) SELECT 0 WHERE EXISTS (SELECT 1 FROM removed))
                SELECT collection, id, (SELECT count(*) FROM removed) FROM part
                ORDER BY collection DESC, id DESC LIMIT 1
                """)
    }

    /// The largest number of records that one statement reads by name.
    static let mostRead = 16

    /// Returns the statement that reads `count` records by their names.
    func read(_ count: Int) -> PostgresStatement {
        let places = (0..<count).map { "($\($0 * 2 + 1)::text, $\($0 * 2 + 2)::bytea)" }
        return PostgresStatement(
            name: "read\(count)",
            text: """
                SELECT name, generation, content, collection, \(age) FROM \(records)
                WHERE (collection, id) IN (\(places.joined(separator: ", ")))
                """)
    }

    var all: [PostgresStatement] {
        [read, read(3), list, create, replace, restore, collections, reseal, remove, forget]
    }

    /// Returns the values of `$1` and `$2`, which identify a record: its collection, and the hash of its name.
    static func place(of key: StoreKey) -> [PostgresValue] {
        [.text(key.collection.rawValue), .bytes(id(of: key))]
    }

    /// The SHA-256 hash of a record's name, because a name may be longer than an index allows.
    static func id(of key: StoreKey) -> Data { sha256(Data(key.name.utf8)) }

    /// Decodes a row of ``read``, ``read(_:)`` or ``list``.
    /// - Parameter hasAge: whether the row has the record's age.
    /// - Throws: `TokenStoreError.corrupt` for a name that is not UTF-8, and for an invalid generation.
    static func record(
        in row: PostgresRows.Row, of collection: StoreKey.Collection, hasAge: Bool
    ) throws -> StoreRecord {
        guard let name = row.bytes(0).flatMap({ String(data: $0, encoding: .utf8) }),
            let number = row.integer(1), let generation = UInt64(exactly: number),
            StoreRecord.generations.contains(generation)
        else {
            throw TokenStoreError.corrupt(path: collection.rawValue, detail: "a row is not a record")
        }
        let age = hasAge ? row.integer(4).map { Duration.milliseconds(max(0, $0)) } : nil
        return StoreRecord(key: StoreKey(collection, name), generation: generation, content: row.bytes(2), age: age)
    }
}

/// The statements that create, replace or restore one record. Each of them also reports the change to other programs.
private struct WriteStatements {
    let tables: PostgresTables
    let isAudited: Bool

    var create: PostgresStatement {
        PostgresStatement(
            name: "create",
            text: """
                WITH written AS (
                    INSERT INTO \(tables.records) (collection, id, name, generation, content)
                    VALUES ($1::text, $2::bytea, $3::bytea, 1, $4::bytea)
                    ON CONFLICT (collection, id) DO NOTHING
                    RETURNING generation, number, written_at),
                \(auditing(action: "$6", place: "$7"))
                \(ending(claim: "$5")),
                \(telling)
                SELECT generation FROM written
                """)
    }

    var replace: PostgresStatement {
        PostgresStatement(
            name: "replace",
            text: """
                WITH \(writing(generation: "generation + 1", time: "now()")),
                \(auditing(action: "$7", place: "$8"))
                \(ending(claim: "$6")),
                \(telling)
                SELECT generation FROM written
                """)
    }

    var restore: PostgresStatement {
        PostgresStatement(
            name: "restore",
            text: """
                WITH \(writing(generation: "$6::bigint", time: "written_at + $7::bigint * interval '1 millisecond'")),
                \(auditing(action: "$8", place: "$9"))
                \(telling)
                SELECT generation FROM written
                """)
    }

    private func writing(generation: String, time: String) -> String {
        """
        written AS (
            UPDATE \(tables.records) SET generation = \(generation), content = $4::bytea, written_at = \(time)
            WHERE collection = $1::text AND id = $2::bytea AND name = $3::bytea AND generation = $5::bigint
            RETURNING generation, number, written_at)
        """
    }

    /// Returns the SQL that ends the lease of a holder that writes for the last time. A claim of `NULL` ends no lease.
    private func ending(claim: String) -> String {
        """
        ended AS (
            DELETE FROM \(tables.leases)
            WHERE collection = $1::text AND id = $2::bytea AND claim = \(claim)::bigint)
        """
    }

    /// The SQL that adds the audit entry in the statement of the write, so that no entry exists without its write; empty if
    /// the store has no audit trail. A write whose `action` is `NULL` adds no entry.
    private func auditing(action: String, place: String) -> String {
        guard isAudited else { return "" }
        return """
            audited AS (
                INSERT INTO \(tables.audit) (at, id, name, generation, action, place)
                SELECT written_at, $2::bytea, $3::bytea, generation, \(action)::text, \(place)::text FROM written
                WHERE \(action)::text IS NOT NULL),
            """
    }

    /// Reports the change in the statement of the write, so that other programs see the change exactly when they see
    /// the record.
    private var telling: String {
        "told AS (INSERT INTO \(tables.changes) (record) SELECT number FROM written)"
    }
}
#endif
