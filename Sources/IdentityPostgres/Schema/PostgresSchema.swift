/// The statements that create and update the tables, and that grant a role the rights to use them.
public struct PostgresSchema: Sendable {
    /// The version of the tables that this library creates.
    public static let version = 1
    /// The lowest ``version`` that a library must understand to use the tables that this library creates.
    static let oldestReader = 1

    let tables: PostgresTables

    public init(_ tables: PostgresTables = .standard) {
        self.tables = tables
    }

    /// A transaction that creates the tables and their schema, or updates them to ``version``. Up-to-date tables are not
    /// locked, so that no writer waits. Several processes may run the transaction at the same time. The transaction fails
    /// for tables that are too new.
    ///
    /// A minor release of this library only adds tables, columns with defaults, or indexes, so libraries of an earlier
    /// release keep working while a deployment is rolled out. A major release may raise the lowest version that a
    /// library must understand.
    public var migration: String {
        let schema = tables.schema.map {
            "IF to_regnamespace('\($0)') IS NULL THEN CREATE SCHEMA \"\($0)\"; END IF;\n    "
        }
        return """
            BEGIN;
            SELECT pg_advisory_xact_lock(hashtextextended('\(tables.versions)', 0));
            DO $migration$ BEGIN
                \(schema ?? "")IF to_regclass('\(tables.versions)') IS NOT NULL THEN
                    IF EXISTS (SELECT 1 FROM \(tables.versions) WHERE readable_by > \(Self.version)) THEN
                        RAISE EXCEPTION 'the tables are newer than this version understands';
                    END IF;
                    IF EXISTS (SELECT 1 FROM \(tables.versions) WHERE version >= \(Self.version)) THEN RETURN; END IF;
                END IF;
                CREATE TABLE IF NOT EXISTS \(tables.versions) (
                    version bigint PRIMARY KEY,
                    readable_by bigint NOT NULL,
                    migrated_at timestamptz NOT NULL DEFAULT now()
                );
                CREATE TABLE IF NOT EXISTS \(tables.records) (
                    collection text COLLATE "C" NOT NULL,
                    id bytea NOT NULL CHECK (octet_length(id) = 32),
                    number bigint GENERATED ALWAYS AS IDENTITY,
                    name bytea NOT NULL,
                    generation bigint NOT NULL CHECK (generation > 0),
                    content bytea,
                    written_at timestamptz NOT NULL DEFAULT now(),
                    PRIMARY KEY (collection, id)
                ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
                CREATE UNIQUE INDEX IF NOT EXISTS \(tables.index("records_number")) ON \(tables.records) (number);
                CREATE TABLE IF NOT EXISTS \(tables.leases) (
                    collection text COLLATE "C" NOT NULL,
                    id bytea NOT NULL CHECK (octet_length(id) = 32),
                    holder bytea NOT NULL CHECK (octet_length(holder) = 16),
                    claim bigint NOT NULL,
                    liveness bigint,
                    ends_at timestamptz NOT NULL,
                    PRIMARY KEY (collection, id)
                ) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
                CREATE INDEX IF NOT EXISTS \(tables.index("leases_holder")) ON \(tables.leases) (holder);
                CREATE UNLOGGED TABLE IF NOT EXISTS \(tables.changes) (
                    written_by xid8 NOT NULL DEFAULT pg_current_xact_id(),
                    record bigint NOT NULL,
                    oldest xid8 NOT NULL DEFAULT pg_snapshot_xmin(pg_current_snapshot()),
                    written_at timestamptz NOT NULL DEFAULT clock_timestamp()
                ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
                CREATE INDEX IF NOT EXISTS \(tables.index("changes_written_by")) ON \(tables.changes) (written_by);
                CREATE TABLE IF NOT EXISTS \(tables.audit) (
                    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                    at timestamptz NOT NULL DEFAULT clock_timestamp(),
                    id bytea NOT NULL,
                    name bytea NOT NULL,
                    generation bigint NOT NULL,
                    action text NOT NULL,
                    place text NOT NULL
                );
                CREATE INDEX IF NOT EXISTS \(tables.index("audit_id")) ON \(tables.audit) (id, number);
                CREATE INDEX IF NOT EXISTS \(tables.index("audit_at")) ON \(tables.audit) (at);
                COMMENT ON COLUMN \(tables.records).id IS 'SHA-256 of the name';
                COMMENT ON COLUMN \(tables.records).name IS 'UTF-8; show it with convert_from(name, ''UTF8'')';
                COMMENT ON COLUMN \(tables.records).content IS 'Sealed; null when the record was erased';
                COMMENT ON COLUMN \(tables.records).number IS 'Stands for the record among the changes, and names nobody';
                COMMENT ON COLUMN \(tables.changes).record IS 'The number of the record; 0 when records were removed';
                COMMENT ON COLUMN \(tables.changes).oldest IS 'Transactions before it had ended when the row was written';
                INSERT INTO \(tables.versions) (version, readable_by) VALUES (\(Self.version), \(Self.oldestReader))
                    ON CONFLICT DO NOTHING;
            END $migration$;
            COMMIT;
            """
    }

    #if PostgreSQL
    /// Queries the version of the tables, and the lowest version that a library must understand to use them.
    var newestVersion: PostgresStatement {
        PostgresStatement(
            name: "version",
            text: "SELECT version, readable_by FROM \(tables.versions) ORDER BY version DESC LIMIT 1")
    }

    /// The SQL for whether this library understands the version of the tables; null if they have no version.
    var isUnderstood: String {
        "(SELECT readable_by <= \(Self.version) FROM \(tables.versions) ORDER BY version DESC LIMIT 1)"
    }
    #endif

    /// Returns the statements that give a role the rights to use the tables. The owner of the tables does not need
    /// them.
    /// - Parameter role: the role's name, which the statements quote.
    public func grants(to role: String) -> String {
        let role = "\"" + role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        let usage = tables.schema.map { "GRANT USAGE ON SCHEMA \"\($0)\" TO \(role);\n" } ?? ""
        return usage + """
            GRANT SELECT ON \(tables.versions) TO \(role);
            GRANT SELECT, INSERT, UPDATE, DELETE ON \(tables.records), \(tables.leases) TO \(role);
            GRANT SELECT, INSERT, DELETE ON \(tables.changes) TO \(role);
            GRANT SELECT, INSERT ON \(tables.audit) TO \(role);
            """
    }
}
