#if PostgreSQL
import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityPostgres

/// What `identity doctor` says about a database.
@Suite(.endsInTime) struct PostgresExaminationTests {
    private func warnings(of store: PostgresTokenStore) async throws -> [String: String] {
        let findings = try await store.examine(at: .system).filter { $0.verdict != .good }
        return Dictionary(findings.map { ($0.subject, $0.detail) }) { $0 + $1 }
    }

    @Test("A server that does not flush, an unsynchronized standby, and a role that owns everything")
    func risks() async throws {
        let primary = try PostgresServer(options: ["max_connections=12"])
        let (store, database) = try await primary.store()
        let before = try await warnings(of: store)
        #expect(before["durability"]?.contains("fsync is off") == true)
        #expect(before["role"]?.contains("open every database") == true && before["replication"] == nil)
        #expect(before["connections"] == nil)
        let standby = try PostgresServer(standbyOf: primary)
        #expect(try await warnings(of: store)["replication"] == nil)
        try primary.sql("ALTER SYSTEM RESET synchronous_standby_names")
        try primary.sql("SELECT pg_reload_conf()")
        while try await warnings(of: store)["replication"]?.contains("the last seconds are lost") != true {
            await Task.yield()
        }
        // A standby with a temporary slot is still a standby.
        try standby.sql("ALTER SYSTEM SET wal_receiver_create_temp_slot = on")
        try standby.sql("SELECT pg_reload_conf()")
        while try primary.sql("SELECT count(active_pid) FROM pg_replication_slots") != "1" { await Task.yield() }
        #expect(try await warnings(of: store)["replication"]?.contains("the last seconds are lost") == true)
        withExtendedLifetime(standby) {}
        var options = PostgresTokenStore.Options.patient
        options.maximumConnections = 20
        let greedy = try await warnings(of: try primary.open(database, options: options))
        #expect(greedy["connections"]?.contains("may use 21") == true)
    }

    @Test("A program that is sent logical changes is no standby")
    func logicalReceiver() async throws {
        let server = try PostgresServer(options: ["wal_level=logical"])
        let (store, database) = try await server.store()
        try server.sql(
            "CREATE PUBLICATION told; SELECT pg_create_logical_replication_slot('told', 'pgoutput')", in: database)
        try server.sql(
            """
            CREATE SUBSCRIPTION told CONNECTION 'host=\(server.folder) user=postgres dbname=\(database)'
                PUBLICATION told WITH (create_slot = false)
            """)
        while try server.sql("SELECT count(active_pid) FROM pg_replication_slots") != "1" { await Task.yield() }
        #expect(try await warnings(of: store)["replication"] == nil)
    }

    @Test("A program that makes a backup is no standby, also for a role that sees nothing of it but its process")
    func backup() async throws {
        let server = try PostgresServer()
        defer { server.kill() }
        let (_, database) = try await server.store()
        try server.sql("CREATE ROLE app LOGIN")
        try server.sql(PostgresSchema().grants(to: "app"), in: database)
        // PostgreSQL 13 and 14 take no parentheses, and later versions nothing else.
        let isOld = try server.sql("SELECT current_setting('server_version_num')::int < 150000") == "t"
        let ended = Locked<String?>(nil)
        // A thread of its own: this blocks until the server ends.
        Thread.detachNewThread {
            let result = Swift.Result {
                try server.sql(isOld ? "BASE_BACKUP MAX_RATE 32" : "BASE_BACKUP (MAX_RATE 32)", in: "replication=1")
            }
            ended.withLock { $0 = "\(result)" }
        }
        while try server.sql("SELECT count(*) FROM pg_stat_progress_basebackup") != "1" {
            let result = ended.withLock { $0 }
            try #require(result == nil)
            await Task.yield()
        }
        #expect(try await warnings(of: try server.open(database, role: "app"))["replication"] == nil)
    }

    @Test("A limit of the role or of the database leaves fewer connections free")
    func limits() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let role = "limited_\(database)"
        try server.sql("CREATE ROLE \(role) LOGIN CONNECTION LIMIT 2")
        try server.sql(PostgresSchema().grants(to: role), in: database)
        let store = try server.open(database, role: role)
        #expect(try await warnings(of: store)["connections"]?.hasPrefix("2 are free") == true)
        try server.sql("ALTER ROLE \(role) CONNECTION LIMIT -1; ALTER DATABASE \(database) CONNECTION LIMIT 1")
        #expect(try await warnings(of: store)["connections"]?.contains("are free") == true)
        try server.sql("ALTER ROLE \(role) SUPERUSER")
        #expect(try await warnings(of: try server.open(database, role: role))["connections"] == nil)
    }

    @Test("A role that owns the tables can do too much, and one with its grants alone cannot")
    func roles() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let role = "examined_\(database)"
        try server.sql("CREATE ROLE \(role) LOGIN CREATEROLE")
        try server.sql(PostgresSchema().grants(to: role), in: database)
        let store = try server.open(database, role: role)
        #expect(try await warnings(of: store)["role"]?.hasSuffix("make roles") == true)
        try server.sql("ALTER TABLE identity_records OWNER TO \(role); ALTER ROLE \(role) NOCREATEROLE", in: database)
        #expect(try await warnings(of: store)["role"]?.hasSuffix("drop the tables") == true)
        try server.sql("ALTER TABLE identity_records OWNER TO postgres", in: database)
        try server.sql(PostgresSchema().grants(to: role), in: database)
        #expect(try await warnings(of: store)["role"] == nil)
    }

    @Test("A connection that takes its time does not count as a clock that is wrong")
    func slowConnection() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let store = try server.open(database)
        // Ten seconds pass before the first statement.
        let time = TimeSource(now: { store.sentStatements.isEmpty ? Date() - 10 : Date() }, sleep: { _ in })
        let clock = try await store.examine(at: time).first { $0.subject == "clock" }
        #expect(clock?.verdict == .good)
    }

    @Test("An answer that takes its time shows no other clock, and one from another time does", arguments: [10.0, -10])
    func slowAnswer(seconds: Double) async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let store = try server.open(database)
        // Ten seconds pass before or after the database reads its clock.
        let isBefore = Locked(true)
        let slow = TimeSource(
            now: {
                let elapsed = isBefore.exchange(false) ? min(-seconds, 0) : max(-seconds, 0)
                return Date() + elapsed
            }, sleep: { _ in })
        #expect(try await store.examine(at: slow).first { $0.subject == "clock" }?.verdict == .good)
        // A whole day is more than a query takes.
        let wrong = TimeSource(now: { Date() + 8640 * seconds }, sleep: { _ in })
        let clock = try await store.examine(at: wrong).first { $0.subject == "clock" }
        #expect(clock?.verdict == .warning)
        #expect(clock?.detail.contains(seconds < 0 ? " s ahead of" : " s behind") == true)
    }

    @Test("Rows that nobody removes are counted, and not the last change of a quiet database")
    func growth() async throws {
        // No transaction of another test is open.
        let server = try PostgresServer(options: ["max_prepared_transactions=1"])
        let (store, database) = try await server.store()
        try await store.write(Data("a".utf8), for: StoreKey(.accounts, "work/ada"), replacing: 0)
        try server.sql("UPDATE identity_changes SET written_at = now() - interval '20 minutes'", in: database)
        #expect(try await warnings(of: store)["growth"] == nil)
        try server.sql(
            """
            BEGIN;
            SELECT pg_current_xact_id();
            PREPARE TRANSACTION 'open';
            INSERT INTO identity_leases
            SELECT 'accounts', sha256(n::text::bytea), substr(sha256('a'), 1, 16), n, NULL, now() - interval '2 days'
            FROM generate_series(1, 3) n;
            INSERT INTO identity_changes (record, written_at)
            SELECT n, now() - interval '20 minutes' FROM generate_series(1, 2) n
            """, in: database)
        let growth = try await warnings(of: store)["growth"]
        #expect(growth?.hasPrefix("3 rows of") == true && growth?.contains("2 rows of") == true)
    }
}
#endif
