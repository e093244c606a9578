#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// The server ends, comes back, refuses, or is slow.
@Suite(.endsInTime) struct PostgresServerFaultTests {
    private let key = StoreKey(.accounts, "work/ada")

    @Test("A server that is gone is a typed, passing error, and when it is back the store goes on")
    func restarted() async throws {
        let server = try PostgresServer()
        let (patient, database) = try await server.store()
        try await patient.write(Data("a".utf8), for: key, replacing: 0)
        let store = try server.open(database, options: .waiting(.milliseconds(500)))
        while (try? await store.record(for: key)) == nil { await Task.yield() }
        server.kill()
        let error = await #expect(throws: TokenStoreError.self) { try await store.record(for: key) }
        #expect(error?.failureCode == "store_unavailable" && error?.failureClass == .transient)
        #expect(await code { try await store.write(nil, for: key, replacing: 1) } == "store_unavailable")
        #expect(await code { try await store.lease(for: key) } == "store_unavailable")
        try server.start()
        #expect(try await server.open(database).record(for: key)?.content == Data("a".utf8))
        #expect(try await patient.write(nil, for: key, replacing: 1).generation == 2)
        while (try? await store.record(for: key))?.generation != 2 { await Task.yield() }
    }

    @Test("A connection that the server ends while it is idle costs no call")
    func terminated() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
        #expect(try await store.record(for: key)?.generation == 1)
    }

    @Test(
        "A call ends by its deadline although the server does not respond, and the server does not do what it asked for"
    )
    func slow() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let hurried = try server.open(database, application: "hurried", options: .waiting(.seconds(1)))
        while (try? await hurried.record(for: key)) == nil { await Task.yield() }
        try await server.locking("identity_records", in: database) {
            #expect(
                await code { try await hurried.write(Data("b".utf8), for: key, replacing: 1) } == "store_unavailable")
            let waiting =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hurried' AND wait_event_type = 'Lock'"
            while try server.sql(waiting) != "0" { await Task.yield() }
        }
        #expect(try await store.record(for: key)?.content == Data("a".utf8))
    }

    @Test("A task that is cancelled does not wait for the server")
    func cancelled() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try await server.locking("identity_records", in: database) {
            let reader = Task { try await store.record(for: key) }
            await Task.yield()
            reader.cancel()
            await #expect(throws: CancellationError.self) { try await reader.value }
        }
        #expect(try await store.record(for: key)?.generation == 1)
    }

    @Test("When the primary fails and its synchronous standby is promoted, nothing that was written is lost")
    func promoted() async throws {
        let primary = try PostgresServer()
        let standby = try PostgresServer(standbyOf: primary)
        let database = try primary.database()
        let url = Secret(
            "host=\(primary.folder),\(standby.folder) user=postgres dbname=\(database) connect_timeout=2")
        let store = try PostgresTokenStore(url: url, options: .patient)
        try await store.migrate()
        let marker = try #require(store.marker(for: key))
        for generation: UInt64 in 0..<20 {
            try await store.write(Data("\(generation)".utf8), for: key, replacing: generation)
        }
        primary.kill()
        try standby.promote()
        let record = try await store.record(for: key)
        #expect(record == StoreRecord(key: key, generation: 20, content: Data("19".utf8)))
        // The promoted one waits for a standby of its own, as its settings say, until they are changed.
        try standby.sql("ALTER SYSTEM RESET synchronous_standby_names")
        try standby.sql("SELECT pg_reload_conf()")
        #expect(try await store.write(nil, for: key, replacing: 20).generation == 21)
        // Changes are heard of again.
        while !store.hearsChanges || marker.value == 0 { await Task.yield() }
        let known = marker.value
        try await store.write(Data("b".utf8), for: key, replacing: 21)
        // The marker is 0 while a connection that was lost under load is opened again.
        #expect(marker.value != known)
    }

    @Test(
        "A server that has no space for a write says so, before a token is sent, and goes on when there is space again")
    func full() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        // What PostgreSQL says when its disk is full (class 53).
        try server.sql(
            "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''53100'', MESSAGE = ''no space left''; END';"
                + "CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON identity_leases FOR EACH ROW EXECUTE FUNCTION no_space();"
                + "CREATE TRIGGER no_space BEFORE INSERT OR UPDATE ON identity_records FOR EACH ROW EXECUTE FUNCTION no_space();",
            in: database)
        #expect(await code { try await store.lease(for: key) } == "store_full")
        #expect(await code { try await store.write(nil, for: key, replacing: 1) } == "store_full")
        #expect(try await store.record(for: key)?.content == Data("a".utf8))
        try server.sql(
            "DROP TRIGGER no_space ON identity_leases; DROP TRIGGER no_space ON identity_records", in: database)
        #expect(try await store.lease(for: key) != nil)
    }

    @Test("More callers than connections wait their turn")
    func crowded() async throws {
        let server = try PostgresServer.shared()
        var options = PostgresTokenStore.Options.patient
        options.maximumConnections = 2
        let (store, database) = try await server.store(options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<200 {
                group.addTask { try await store.write(Data(), for: StoreKey(.accounts, "work/\(index)"), replacing: 0) }
            }
            try await group.waitForAll()
        }
        #expect(try await store.records(in: .accounts).records.count == 200)
        let connections = try server.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)'")
        #expect(Int(connections) ?? 0 <= 3)
    }

    private func code<Result>(_ body: () async throws -> Result) async -> String? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? any IdentityFailure)?.failureCode ?? "\(error)"
        }
    }
}
#endif
