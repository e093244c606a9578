#if PostgreSQL
import Foundation
import IdentityKit

/// Examines whether several machines can rely on a database.
struct PostgresExamination {
    let pool: PostgresPool
    let schema: PostgresSchema
    let isAudited: Bool
    let time: TimeSource

    /// Queries the server and the tables, and returns the findings. Some subjects, such as the role and the durability,
    /// have a finding only if there is a problem.
    /// - Throws: `TokenStoreError` when the database cannot be reached or refuses a query; `CancellationError`.
    func findings() async throws -> [StoreFinding] {
        // Run the query once to open the connection. Otherwise the time for connecting would lie between `before` and
        // `after`, and a difference of the clocks up to that time would not be noticed.
        _ = try await pool.run(server, [])
        let before = time.now
        let row = try await pool.run(server, []).first
        let after = time.now
        guard let row, let version = row.text(0), let role = row.text(1) else { return [] }
        let server =
            connection(version: version, isEncrypted: row.flag(2) ?? false)
            + connections(free: row.integer(7))
            + self.role(role, powers: row.text(3))
            + clock(row.integer(4), between: before, and: after)
            + durability(off: row.text(5), asynchronousStandbys: row.integer(6))
        return try await server + tables(for: role)
    }

    /// Queries the server and the role. Each excessive privilege is a phrase, such as `make roles`, for the sentence of
    /// a finding. Receivers of a backup or of logical changes do not count as standbys. A standby may have a temporary slot,
    /// too, which it names `pg_walreceiver_` and a number.
    private var server: PostgresStatement {
        // The limits of a role and of a database do not apply to a superuser.
        let isLimited = "current_setting('is_superuser') = 'off'"
        let records = "to_regclass('\(schema.tables.records)')"
        let audit = "to_regclass('\(schema.tables.audit)')"
        return PostgresStatement(
            name: "server",
            text: """
                SELECT current_setting('server_version'), current_user::text,
                    COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
                    (SELECT CASE WHEN rolsuper THEN 'open every database' ELSE concat_ws(', ',
                        CASE WHEN rolcreaterole THEN 'make roles' END,
                        CASE WHEN rolcreatedb THEN 'make databases' END,
                        CASE WHEN rolreplication THEN 'copy the whole server' END,
                        CASE WHEN pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = \(records)), 'USAGE')
                            THEN 'drop the tables' END,
                        CASE WHEN has_table_privilege(\(audit), 'UPDATE, DELETE, TRUNCATE')
                            THEN 'change the audit trail' END) END
                        FROM pg_roles WHERE rolname = current_user),
                    (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
                    concat_ws(', ', CASE current_setting('fsync') WHEN 'off' THEN 'fsync' END,
                        CASE current_setting('full_page_writes') WHEN 'off' THEN 'full_page_writes' END),
                    CASE current_setting('synchronous_standby_names') WHEN '' THEN
                        (SELECT count(*) FROM pg_stat_replication
                            WHERE pid NOT IN (SELECT pid FROM pg_stat_progress_basebackup) AND pid NOT IN (
                                SELECT active_pid FROM pg_replication_slots
                                WHERE active_pid IS NOT NULL AND (slot_type = 'logical'
                                    OR temporary AND slot_name NOT LIKE 'pg_walreceiver%'))) ELSE 0 END,
                    least(
                        current_setting('max_connections')::bigint
                            - current_setting('superuser_reserved_connections')::bigint
                            - coalesce(current_setting('reserved_connections', true)::bigint, 0)
                            - (SELECT sum(numbackends) FROM pg_stat_database)::bigint,
                        (SELECT rolconnlimit - (SELECT count(*) FROM pg_stat_activity WHERE usesysid = pg_roles.oid)
                            FROM pg_roles WHERE rolname = session_user AND rolconnlimit >= 0 AND \(isLimited)),
                        (SELECT datconnlimit - (SELECT count(usesysid) FROM pg_stat_activity WHERE datid = pg_database.oid)
                            FROM pg_database
                            WHERE datname = current_database() AND datconnlimit >= 0 AND \(isLimited)))
                """)
    }

    private func connection(version: String, isEncrypted: Bool) -> [StoreFinding] {
        [
            StoreFinding(
                .good, "database",
                "PostgreSQL \(version), \(pool.address.place), \(isEncrypted ? "encrypted" : "not encrypted")")
        ]
    }

    /// Returns a finding about the connections that the limits of the server, the role and the database leave free. The
    /// connection of the examination counts as free, and a process needs one connection besides its limit, to receive
    /// changes.
    private func connections(free: Int64?) -> [StoreFinding] {
        guard let free = free.map({ $0 + 1 }) else { return [] }
        let needed = Int64(pool.limit + 1)
        let detail = "\(free) are free, and a process of this configuration may use \(needed)"
        guard free < needed else { return [StoreFinding(.good, "connections", detail)] }
        return [
            StoreFinding(
                .warning, "connections", detail,
                fix: "Lower \"maximumConnections\", raise the server's max_connections or the CONNECTION LIMIT of the "
                    + "role or the database, or use a pooler.")
        ]
    }

    private func role(_ role: String, powers: String?) -> [StoreFinding] {
        guard let powers, !powers.isEmpty else { return [] }
        return [
            StoreFinding(
                .warning, "role", "a stolen password of \(role) is enough to: \(powers)",
                fix: "Create a role of its own, and as owner of the tables run: "
                    + schema.grants(to: "ROLE").replacingOccurrences(of: "\n", with: " "))
        ]
    }

    /// Returns a finding about the database's clock, which was read between two times of this machine's clock. A database
    /// time between these two counts as no difference, because the server may have read its clock at any moment between them.
    private func clock(_ milliseconds: Int64?, between before: Date, and after: Date) -> [StoreFinding] {
        guard let milliseconds else { return [] }
        let there = Double(milliseconds) / 1_000
        let (ahead, behind) = (there - after.timeIntervalSince1970, before.timeIntervalSince1970 - there)
        let difference = Int((max(ahead, 0) - max(behind, 0)).rounded())
        guard abs(difference) > 2 else { return [StoreFinding(.good, "clock", "it agrees with the database's")] }
        return [
            StoreFinding(
                .warning, "clock",
                "the database's is \(abs(difference)) s \(difference > 0 ? "ahead of" : "behind") this machine's",
                fix: "Set both by NTP.")
        ]
    }

    private func durability(off: String?, asynchronousStandbys: Int64?) -> [StoreFinding] {
        var findings: [StoreFinding] = []
        if let off, !off.isEmpty {
            findings.append(
                StoreFinding(
                    .warning, "durability",
                    "\(off) is off: when the database's machine fails, rotated tokens are lost",
                    fix: "Set it on in postgresql.conf."))
        }
        if let asynchronousStandbys, asynchronousStandbys > 0 {
            findings.append(
                StoreFinding(
                    .warning, "replication",
                    "no standby is synchronous: when one takes over, the last seconds are lost, and whoever was refreshed in "
                        + "them may have to sign in again",
                    fix: "Set synchronous_standby_names in postgresql.conf."))
        }
        return findings
    }

    /// Returns a finding for each table with rows that should have been removed long ago.
    private func growth() async throws -> [StoreFinding] {
        let row = try await pool.run(schema.overdueRows, []).first
        return schema.trimmedTables.enumerated().compactMap { index, trimmed in
            guard let count = row?.integer(index), count > 0 else { return nil }
            return StoreFinding(
                .warning, "growth", "\(count) rows of \(trimmed.table) are older than they should become",
                fix: trimmed.fix)
        }
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
        return try await [tables, StoreFinding(.good, "rights", "\(role) may read and write the tables")] + growth()
    }
}

extension PostgresSchema {
    /// The tables with temporary rows, the condition of an overdue row, and the remedy. An old row in the table of changes is
    /// not always overdue, because the latest rows stay until a later change is old. Only rows that a transaction keeps from
    /// being removed, because it has been open for long, are overdue.
    fileprivate var trimmedTables: [(table: String, condition: String, fix: String)] {
        [
            (
                tables.leases, "ends_at < now() - interval '1 day'",
                "As owner of the tables run: DELETE FROM \(tables.leases) WHERE ends_at < now() - interval '1 day';"
            ),
            (
                tables.changes,
                """
                written_at < now() - interval '10 minutes' AND written_by >= pg_snapshot_xmin(pg_current_snapshot())
                    AND written_by < pg_snapshot_xmax(pg_current_snapshot())
                """,
                "End the transaction that has been open for so long; pg_stat_activity or pg_prepared_xacts has it. Programs "
                    + "that use the tables remove the rows."
            ),
        ]
    }

    /// Counts the overdue rows in each of ``trimmedTables``.
    fileprivate var overdueRows: PostgresStatement {
        let counts = trimmedTables.map { "(SELECT count(*) FROM \($0.table) WHERE \($0.condition))" }
        return PostgresStatement(name: "overdue", text: "SELECT \(counts.joined(separator: ", "))")
    }

    /// Queries whether the current role has the rights of ``PostgresSchema/grants(to:)`` to records, leases and
    /// changes.
    /// - Parameter isAudited: whether the role needs the rights to the audit table too.
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
