#if PostgreSQL
import Foundation
import IdentityKit

/// Looks at what decides whether a fleet can rely on its database.
struct PostgresExamination {
    let pool: PostgresPool
    let schema: PostgresSchema
    let isAudited: Bool
    let time: TimeSource

    /// - Throws: `TokenStoreError` when the database cannot be reached.
    func findings() async throws -> [StoreFinding] {
        let before = time.now
        let row = try await pool.run(Self.server, []).first
        let after = time.now
        guard let row, let version = row.text(0), let role = row.text(1) else { return [] }
        let server =
            connection(version: version, isEncrypted: row.flag(2) ?? false)
            + self.role(role, isSuperuser: row.flag(3) ?? false)
            + clock(row.integer(4), between: before, and: after)
            + durability(fsync: row.text(5))
        return try await server + tables(for: role)
    }

    private static let server = PostgresStatement(
        name: "server",
        text: """
            SELECT current_setting('server_version'), current_user::text,
                COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
                COALESCE((SELECT rolsuper FROM pg_roles WHERE rolname = current_user), false),
                (extract(epoch FROM clock_timestamp()) * 1000)::bigint, current_setting('fsync')
            """)

    private func connection(version: String, isEncrypted: Bool) -> [StoreFinding] {
        [
            StoreFinding(
                .good, "database",
                "PostgreSQL \(version), \(pool.address.place), \(isEncrypted ? "encrypted" : "not encrypted")")
        ]
    }

    private func role(_ role: String, isSuperuser: Bool) -> [StoreFinding] {
        guard isSuperuser else { return [] }
        return [
            StoreFinding(
                .warning, "role", "\(role) is a superuser, so that a stolen password opens every database",
                fix: "Create a role of its own, and as owner of the tables run: "
                    + schema.grants(to: "ROLE").replacingOccurrences(of: "\n", with: " "))
        ]
    }

    private func clock(_ milliseconds: Int64?, between before: Date, and after: Date) -> [StoreFinding] {
        guard let milliseconds else { return [] }
        let there = Double(milliseconds) / 1_000
        let here = (before.timeIntervalSince1970 + after.timeIntervalSince1970) / 2
        let difference = Int((there - here).rounded())
        guard abs(difference) > 2 else { return [StoreFinding(.good, "clock", "it agrees with the database's")] }
        return [
            StoreFinding(
                .warning, "clock",
                "the database's is \(abs(difference)) s \(difference > 0 ? "ahead of" : "behind") this machine's",
                fix: "Set both by NTP.")
        ]
    }

    private func durability(fsync: String?) -> [StoreFinding] {
        guard fsync == "off" else { return [] }
        return [
            StoreFinding(
                .warning, "durability", "fsync is off: when the database's machine fails, rotated tokens are lost",
                fix: "Set fsync = on in postgresql.conf.")
        ]
    }

    private func tables(for role: String) async throws -> [StoreFinding] {
        let found: PostgresRows.Row?
        do {
            found = try await pool.run(schema.newestVersion, []).first
        } catch let error as TokenStoreError {
            return [StoreFinding(.bad, "tables", error.message)]
        }
        guard let version = found?.integer(0), let oldestReader = found?.integer(1) else {
            return [StoreFinding(.bad, "tables", "they have no version", fix: "Run: identity store migrate")]
        }
        guard oldestReader <= PostgresSchema.version else {
            return [
                StoreFinding(
                    .bad, "tables", "they have version \(version), which this version cannot use", fix: "Update.")
            ]
        }
        let tables = StoreFinding(.good, "tables", "version \(version)")
        let row = try await pool.run(schema.rights(isAudited: isAudited), []).first
        guard row?.flag(0) == true else {
            return [
                tables,
                StoreFinding(
                    .bad, "rights", "\(role) may not read and write the tables",
                    fix: "As owner of the tables run: "
                        + schema.grants(to: role).replacingOccurrences(of: "\n", with: " ")),
            ]
        }
        return [tables, StoreFinding(.good, "rights", "\(role) may read and write the tables")]
    }
}

extension PostgresSchema {
    /// Whether the role has what ``grants(to:)`` gives.
    fileprivate func rights(isAudited: Bool) -> PostgresStatement {
        var needed = [tables.records, tables.leases].flatMap { table in
            ["SELECT", "INSERT", "UPDATE", "DELETE"].map { (table, $0) }
        }
        needed += ["SELECT", "INSERT", "DELETE"].map { (tables.changes, $0) }
        if isAudited { needed += ["SELECT", "INSERT"].map { (tables.audit, $0) } }
        let rights = needed.map { "has_table_privilege('\($0)', '\($1)')" }
        return PostgresStatement(name: "rights", text: "SELECT \(rights.joined(separator: " AND "))")
    }
}
#endif
