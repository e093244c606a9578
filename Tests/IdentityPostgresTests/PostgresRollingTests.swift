#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// Programs of two versions share a database while a deployment is rolled out.
@Suite(.endsInTime) struct PostgresRollingTests {
    private let key = StoreKey(.accounts, "work/ada")

    /// The tables as version 1 made them. Never to be changed.
    private static let firstVersion = """
        CREATE TABLE "identity_schema" (
            version bigint PRIMARY KEY, readable_by bigint NOT NULL, migrated_at timestamptz NOT NULL DEFAULT now());
        CREATE TABLE "identity_records" (
            collection text COLLATE "C" NOT NULL, id bytea NOT NULL CHECK (octet_length(id) = 32), name bytea NOT NULL,
            generation bigint NOT NULL CHECK (generation > 0), content bytea,
            written_by xid8 NOT NULL DEFAULT pg_current_xact_id(), written_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (collection, id));
        CREATE INDEX "identity_records_written_by" ON "identity_records" (written_by);
        CREATE TABLE "identity_leases" (
            collection text COLLATE "C" NOT NULL, id bytea NOT NULL CHECK (octet_length(id) = 32),
            holder bytea NOT NULL CHECK (octet_length(holder) = 16), claim bigint NOT NULL, liveness bigint,
            ends_at timestamptz NOT NULL, PRIMARY KEY (collection, id));
        CREATE INDEX "identity_leases_holder" ON "identity_leases" (holder);
        INSERT INTO "identity_schema" (version, readable_by) VALUES (1, 1);
        """

    /// What a program of version 1 does to the record of the account: it writes `content` in place of `generation`, and
    /// prints the new generation, unless a record is there that it did not expect.
    private static func firstVersionWrite(_ content: String, replacing generation: Int) -> String {
        """
        UPDATE "identity_records" SET generation = generation + 1, content = '\(content)'::bytea,
            written_by = pg_current_xact_id(), written_at = now()
        WHERE collection = 'accounts' AND id = sha256('work/ada') AND generation = \(generation) RETURNING generation;
        """
    }

    /// A program of version 1 takes a lease for a minute.
    private static let firstVersionLease = """
        INSERT INTO "identity_leases" AS lease (collection, id, holder, claim, liveness, ends_at)
        VALUES ('accounts', sha256('work/ada'), decode(repeat('ab', 16), 'hex'), 7, NULL, now() + interval '1 minute')
        ON CONFLICT (collection, id) DO UPDATE SET holder = excluded.holder, claim = excluded.claim,
            liveness = excluded.liveness, ends_at = excluded.ends_at
        WHERE lease.ends_at <= clock_timestamp() RETURNING claim;
        """

    @Test("This version works with the tables of the one before, before and after they are migrated")
    func rolledOut() async throws {
        let server = try PostgresServer.shared()
        let database = try server.database()
        try server.sql(Self.firstVersion, in: database)
        let early = try server.open(database)
        try await early.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try server.sql(Self.firstVersionWrite("b", replacing: 1), in: database) == "2")

        // Both versions are running while the tables change.
        let lease = try #require(try await early.lease(for: key))
        try await early.migrate()
        #expect(try server.sql(Self.firstVersionLease, in: database) == "")
        try await lease.writeLast(Data("c".utf8), replacing: 2)
        await lease.release()
        #expect(try server.sql(Self.firstVersionLease, in: database) == "7")
        #expect(try await early.lease(for: key) == nil)
        #expect(try server.sql(Self.firstVersionWrite("late", replacing: 2), in: database) == "")
        #expect(try server.sql(Self.firstVersionWrite("d", replacing: 3), in: database) == "4")
        try server.sql("DELETE FROM \"identity_leases\"", in: database)

        let late = try server.open(database)
        #expect(try await late.record(for: key) == StoreRecord(key: key, generation: 4, content: Data("d".utf8)))
        #expect(try await late.lease(for: key) != nil)
        // What a program of version 1 asks before it uses tables.
        let versions = "SELECT version, readable_by FROM identity_schema ORDER BY version DESC LIMIT 1"
        #expect(try server.sql(versions, in: database) == "\(PostgresSchema.version)|1")
    }

    @Test("A setting that needs the new tables says so, and nothing is written")
    func tooEarly() async throws {
        let server = try PostgresServer.shared()
        let database = try server.database()
        try server.sql(Self.firstVersion, in: database)
        var options = PostgresTokenStore.Options.patient
        options.keepsAuditTrail = true
        let store = try server.open(database, options: options)
        do {
            try await store.write(Data("a".utf8), for: key, replacing: 0)
            Issue.record("it was written")
        } catch let error as TokenStoreError {
            #expect(error.failureCode == "store_unsupported" && error.message.contains("identity store migrate"))
        }
        #expect(try server.sql("SELECT count(*) FROM identity_records", in: database) == "0")
        try await store.migrate()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
    }
}
#endif
