#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// The table of changes: what is found in it, what it says, and that it stays small.
@Suite(.endsInTime) struct PostgresChangesTests {
    private let key = StoreKey(.accounts, "work/ada")

    /// The statement that asks for the changes since a snapshot, sent by hand.
    private struct Question {
        let server: PostgresServer
        let database: String
        private let statement: String
        private(set) var snapshot = ""

        init(_ store: PostgresTokenStore, _ server: PostgresServer, _ database: String) throws {
            (self.server, self.database) = (server, database)
            let script = try #require(store.explanations.first { $0.name == "changes" }).script
            statement = try #require(script.components(separatedBy: "; EXPLAIN").first)
            snapshot = try server.sql("SELECT pg_current_snapshot()", in: database)
        }

        /// The names of the records that have changed since this was asked last.
        mutating func ask() throws -> [String] {
            let rows = try server.sql("\(statement); EXECUTE explained('\(snapshot)')", in: database)
                .split(separator: "\n").map { $0.split(separator: "|", omittingEmptySubsequences: false) }
            snapshot = String(try #require(rows.first?.first))
            return try rows.dropFirst().map { row in
                try server.sql("SELECT convert_from('\(row[2])', 'UTF8')", in: database)
            }
        }
    }

    @Test("What ends after later changes is found once, and an open transaction makes nobody read anything again")
    func late() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        try server.sql("CREATE TABLE go (at timestamptz)", in: database)
        var question = try Question(store, server, database)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own: this blocks.
        Thread.detachNewThread {
            _ = try? server.sql(
                """
                BEGIN;
                WITH written AS (
                    INSERT INTO identity_records (collection, id, name, generation, content)
                    VALUES ('accounts', sha256('work/late'), 'work/late', 1, 'x') RETURNING number)
                INSERT INTO identity_changes (record) SELECT number FROM written;
                DO $$ BEGIN
                    WHILE NOT EXISTS (SELECT 1 FROM go) LOOP PERFORM pg_sleep(0.01); END LOOP;
                END $$;
                COMMIT;
                """, in: database)
            end.finish()
        }
        let open = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = '\(database)' AND query LIKE 'DO%FROM go%' AND backend_xid IS NOT NULL
            """
        while try server.sql(open, in: database) == "0" { await Task.yield() }
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try question.ask() == ["work/ada"])
        #expect(try question.ask() == [])
        try server.sql("INSERT INTO go VALUES (now())", in: database)
        for await _ in ended {}
        #expect(try question.ask() == ["work/late"])
        #expect(try question.ask() == [])
    }

    @Test("Nobody is named in it, others may neither read nor write it, and forged rows change nothing")
    func forged() async throws {
        let server = try PostgresServer.shared()
        let (here, database) = try await server.store()
        let there = try server.open(database)
        try await there.write(Data("a".utf8), for: key, replacing: 0)
        let marker = try #require(here.marker(for: key))
        while marker.value == 0 { await Task.yield() }
        #expect(try await here.record(for: key)?.generation == 1)
        let known = marker.value
        var changes = here.changes(in: nil).filter { $0.key.name == "work/bob" }.makeAsyncIterator()
        try server.sql(
            """
            CREATE ROLE \(database) LOGIN;
            INSERT INTO identity_changes (record) SELECT number FROM identity_records;
            INSERT INTO identity_changes (record, written_by, oldest)
                SELECT number, '999999999999', '999999999998' FROM identity_records;
            """, in: database)
        try await there.write(Data("a".utf8), for: StoreKey(.accounts, "work/bob"), replacing: 0)
        #expect(await changes.next()?.generation == 1)
        // The marker is 0 while a connection that was lost under load is opened again.
        #expect([0, known].contains(marker.value))
        let table = try server.sql("SELECT string_agg(identity_changes::text, ' ') FROM identity_changes", in: database)
        #expect(!table.contains("ada") && !table.contains(Data("work/ada".utf8).map { String($0, radix: 16) }.joined()))
        for use in ["SELECT FROM identity_changes", "INSERT INTO identity_changes (record) VALUES (1)"] {
            #expect(throws: (any Error).self) { try server.sql("SET ROLE \(database); \(use)", in: database) }
        }
    }

    @Test("What has been visible for a minute is removed, and nothing that is younger")
    func trimmed() async throws {
        // Nobody else has a transaction open.
        let server = try PostgresServer()
        let (store, database) = try await server.store()
        for number in 1...30 { try await store.write(Data(), for: StoreKey(.accounts, "\(number)"), replacing: 0) }
        try server.sql(
            """
            UPDATE identity_changes SET written_at = now() - interval '2 minutes' WHERE record <= 20;
            INSERT INTO identity_changes (record, written_by, oldest) VALUES (1, '999999999999', '999999999998');
            """, in: database)
        // Whoever begins to hear of changes trims, too. The last old row waits for one that is later.
        #expect(store.marker(for: key) != nil)
        let count = "SELECT count(*), min(record) FROM identity_changes"
        while try server.sql(count, in: database) != "11|20" { await Task.yield() }
    }

    @Test("An update changes no index, so that it stays on its page")
    func inPlace() async throws {
        // A transaction of another test would keep the former rows.
        let server = try PostgresServer()
        let (store, database) = try await server.store()
        for generation: UInt64 in 0..<200 {
            try await store.write(
                generation.isMultiple(of: 5) ? nil : Data(count: 1_400), for: key, replacing: generation)
        }
        // The server counts when a connection has been idle for a while, or ends.
        try server.sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(database)' AND pid <> pg_backend_pid()",
            in: database)
        let updates =
            "SELECT n_tup_upd - n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'identity_records' AND n_tup_upd = 199"
        var elsewhere = ""
        while elsewhere.isEmpty {
            elsewhere = try server.sql(updates, in: database)
            await Task.yield()
        }
        #expect(try #require(Int(elsewhere)) < 20)
    }
}
#endif
