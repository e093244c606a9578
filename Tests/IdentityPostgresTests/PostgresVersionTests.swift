#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// Tables that a later version of this library has made.
@Suite(.endsInTime) struct PostgresVersionTests {
    private let key = StoreKey(.accounts, "work/ada")

    @Test("This version makes tables of version 1, which it and all later ones of that major version use")
    func first() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        #expect(try server.sql("SELECT version, readable_by FROM identity_schema", in: database) == "1|1")
    }

    @Test("A migration makes the schema of the tables")
    func schema() async throws {
        var options = PostgresTokenStore.Options.patient
        options.tables = try PostgresTables(schema: "people", prefix: "fleet_")
        let (store, _) = try await PostgresServer.shared().store(options: options)
        try await store.migrate()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try await store.record(for: key)?.content == Data("a".utf8))
    }

    @Test("A program whose role may not make the tables uses them as soon as their owner has made them")
    func madeByOwner() async throws {
        let server = try PostgresServer.shared()
        let database = try server.database()
        let role = "app_\(database)"
        try server.sql("CREATE ROLE \(role) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC", in: database)
        let store = try server.open(database, role: role)
        let error = await #expect(throws: TokenStoreError.self) { try await store.migrate() }
        #expect(error?.failureCode == "store_not_writable")
        try await server.open(database).migrate()
        try server.sql(PostgresSchema().grants(to: role), in: database)
        #expect(try await store.record(for: key) == nil)
    }

    @Test("A migration with nothing to do waits for no writer, and no writer for it")
    func underLoad() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        for table in ["records", "leases", "changes", "audit"] {
            // What a write holds until its transaction ends.
            try await server.locking("identity_\(table) IN ROW EXCLUSIVE MODE", in: database) {
                try await store.migrate()
            }
        }
    }

    @Test("Tables that a later minor version added to are used, and what it added is kept")
    func minor() async throws {
        let fleet = try await PostgresFleetSession()
        try await fleet.begin(on: fleet.sessions())
        try fleet.server.sql(
            """
            ALTER TABLE identity_records ADD COLUMN later text NOT NULL DEFAULT 'added';
            UPDATE identity_records SET later = 'kept' WHERE collection = 'accounts';
            CREATE TABLE identity_later (id bytea PRIMARY KEY);
            INSERT INTO identity_schema (version, readable_by) VALUES (2, 1);
            """, in: fleet.database)
        let sessions = try fleet.sessionsElsewhere()
        #expect(try await sessions.lookUp().account == fleet.account)
        fleet.expire()
        #expect(try await sessions.accessToken(for: fleet.account, scopes: []) == "access-1")
        try await fleet.server.open(fleet.database).migrate()
        let columns = "SELECT later, generation FROM identity_records WHERE collection = 'accounts'"
        #expect(try fleet.server.sql(columns, in: fleet.database) == "kept|2")
        let versions = "SELECT version, readable_by FROM identity_schema ORDER BY version"
        #expect(try fleet.server.sql(versions, in: fleet.database) == "1|1\n2|1")
    }

    @Test("Tables of a later major version are neither used nor changed, and whoever wants a record is told why")
    func major() async throws {
        let fleet = try await PostgresFleetSession()
        try await fleet.begin(on: fleet.sessions())
        try fleet.server.sql(
            "INSERT INTO identity_schema (version, readable_by) VALUES (2, 2)", in: fleet.database)
        let content = """
            SELECT md5(string_agg(records::text, '' ORDER BY collection, id)) FROM identity_records AS records
            """
        let planted = try fleet.server.sql(content, in: fleet.database)
        let (account, store) = (fleet.account, try fleet.server.open(fleet.database))
        let sessions = try fleet.sessionsElsewhere()
        let uses: [(String, () async throws -> Void)] = [
            ("a look", { _ = try await sessions.lookUp() }),
            ("a token", { _ = try await sessions.accessToken(for: account, scopes: []) }),
            ("a sign-out", { _ = try await sessions.end(account) }),
            ("a sign-in", { try await fleet.begin(on: sessions) }),
            ("a read", { _ = try await store.record(for: key) }),
            ("a list", { _ = try await store.records(in: .accounts) }),
            ("a write", { _ = try await store.write(Data("a".utf8), for: key, replacing: 0) }),
            ("a lease", { _ = try await store.lease(for: key) }),
            ("a migration", { try await store.migrate() }),
        ]
        for (name, use) in uses {
            let error = await #expect(throws: TokenStoreError.self, "\(name)") { try await use() }
            guard case .tooNew(_, version: 2)? = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
            #expect(error?.message.contains("newer than this version understands") == true)
        }
        #expect(throws: (any Error).self, "the printed migration") {
            try fleet.server.sql(PostgresSchema().migration, in: fleet.database)
        }
        #expect(try fleet.server.sql(content, in: fleet.database) == planted)
        let versions = "SELECT version, readable_by FROM identity_schema ORDER BY version"
        #expect(try fleet.server.sql(versions, in: fleet.database) == "1|1\n2|2")
    }

    @Test("A program that runs while the tables become too new uses them no longer, and stores what its lease was for")
    func majorMeanwhile() async throws {
        var options = PostgresTokenStore.Options.lasting
        options.versionLifetime = .zero
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store(options: options)
        let lease = try #require(try await store.lease(for: key))
        try server.sql("INSERT INTO identity_schema (version, readable_by) VALUES (2, 2)", in: database)
        #expect(try await lease.writeLast(Data("a".utf8), replacing: 0).generation == 1)
        let uses: [(String, () async throws -> Void)] = [
            ("a read", { _ = try await store.record(for: key) }),
            ("a write", { _ = try await store.write(Data("b".utf8), for: key, replacing: 1) }),
            ("a lease", { _ = try await store.lease(for: key) }),
        ]
        for (name, use) in uses {
            let error = await #expect(throws: TokenStoreError.self, "\(name)") { try await use() }
            #expect(error?.failureCode == "store_too_new", "\(name)")
        }
        #expect(try server.sql("SELECT generation FROM identity_records", in: database) == "1")
    }

    @Test("A program that runs while the tables become too new tells no change of them, until they are as before")
    func changesMeanwhile() async throws {
        let server = try PostgresServer.shared()
        let (there, database) = try await server.store()
        let here = try server.open(database)
        var changes = here.changes(in: nil).makeAsyncIterator()
        while !here.hearsChanges { await Task.yield() }
        // One transaction, so that the poll that finds the change finds the version, too.
        try server.sql(
            """
            BEGIN;
            INSERT INTO identity_schema (version, readable_by) VALUES (2, 2);
            INSERT INTO identity_records (collection, id, name, generation) VALUES ('accounts', sha256('new'), 'new', 7);
            INSERT INTO identity_changes (record) SELECT number FROM identity_records;
            COMMIT
            """, in: database)
        while here.hearsChanges { await Task.yield() }
        try server.sql(
            """
            BEGIN;
            DELETE FROM identity_schema WHERE version = 2;
            DELETE FROM identity_records;
            DELETE FROM identity_changes;
            COMMIT
            """, in: database)
        while !here.hearsChanges { await Task.yield() }
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        // A change without a name, of any account, comes first, because changes may have been missed.
        var told: [StoreKey] = []
        while told.last != key, let change = await changes.next() { told.append(change.key) }
        #expect(told.allSatisfy { $0 == key || $0.name.isEmpty }, "\(told)")
        withExtendedLifetime(here) {}
    }

    @Test("The changes in tables that are too new are not removed")
    func keptChanges() async throws {
        let server = try PostgresServer()
        let (_, database) = try await server.store()
        try server.sql(
            """
            INSERT INTO identity_schema (version, readable_by) VALUES (2, 2);
            INSERT INTO identity_changes (record, written_at) VALUES (1, now() - interval '1 hour');
            INSERT INTO identity_changes (record, written_at) VALUES (2, now() - interval '1 hour');
            """, in: database)
        let here = try server.open(database, application: "here")
        _ = here.marker(for: key)
        // Changes are removed between two polls.
        try await twoPolls(of: "here", at: server, in: database)
        #expect(try server.sql("SELECT count(*) FROM identity_changes", in: database) == "2")
        withExtendedLifetime(here) {}
    }

    @Test("The changes in tables that are too new are not read")
    func unreadChanges() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let here = try server.open(database, application: "here")
        _ = here.marker(for: key)
        while !here.hearsChanges { await Task.yield() }
        // A poll that reads a row of this view fails, and ends its connection.
        try server.sql(
            """
            BEGIN;
            INSERT INTO identity_schema (version, readable_by) VALUES (2, 2);
            ALTER TABLE identity_changes RENAME TO identity_later;
            INSERT INTO identity_later (record) VALUES (0);
            CREATE VIEW identity_changes AS SELECT written_by, written_at, 1 / record AS record FROM identity_later;
            COMMIT
            """, in: database)
        while here.hearsChanges { await Task.yield() }
        try await twoPolls(of: "here", at: server, in: database)
        withExtendedLifetime(here) {}
    }

    /// Returns as soon as a program has polled twice over one connection.
    private func twoPolls(of application: String, at server: PostgresServer, in database: String) async throws {
        let poll = """
            SELECT pid, query_start FROM pg_stat_activity WHERE datname = '\(database)' AND state = 'idle'
                AND application_name = '\(application)' AND query LIKE '%pg_postmaster_start_time%'
                ORDER BY backend_start DESC LIMIT 1
            """
        var starts: [Substring: Set<Substring>] = [:]
        // Three, because the server prepares the statement before it runs it for the first time.
        while !starts.values.contains(where: { $0.count == 3 }) {
            let row = try server.sql(poll, in: database).split(separator: "|")
            if row.count == 2 { starts[row[0], default: []].insert(row[1]) }
            await Task.yield()
        }
    }
}
#endif
