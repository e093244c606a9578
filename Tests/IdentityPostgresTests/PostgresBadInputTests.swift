#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// What an operator may get wrong: one clear line each, and nothing is written.
@Suite(.endsInTime) struct PostgresBadInputTests {
    private let key = StoreKey(.accounts, "work/ada")

    @Test("A wrong password, an unknown role and an unknown database are told by name, without the password")
    func connection() async throws {
        let server = try PostgresServer.shared()
        _ = try? server.sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
        let addresses: [(String, Secret)] = [
            (
                "the server refuses the role locked",
                Secret(server.url("postgres", role: "locked").reveal() + " password=hunter2")
            ),
            ("nobody", server.url("postgres", role: "nobody")), ("nowhere", server.url("nowhere")),
        ]
        for (words, url) in addresses {
            let error = await error { try await PostgresTokenStore(url: url, options: .patient).record(for: key) }
            #expect(error?.failureCode == "store_unreadable", "\(error?.message ?? "no error")")
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "no error")")
            #expect(error?.message.contains("hunter2") == false)
        }
    }

    @Test("A database without tables, and one with tables of a later version")
    func schema() async throws {
        let server = try PostgresServer.shared()
        let empty = try PostgresTokenStore(url: server.url(try server.database()), options: .patient)
        #expect(
            await error { try await empty.write(nil, for: key, replacing: 0) }?.message.contains(
                "identity store migrate") == true)
        let (_, database) = try await server.store()
        try server.sql("INSERT INTO identity_schema (version, readable_by) VALUES (99, 98)", in: database)
        let newer = await error { try await server.open(database).record(for: key) }
        #expect(newer?.failureCode == "store_too_new")
        try server.sql("UPDATE identity_schema SET readable_by = 1 WHERE version = 99", in: database)
        #expect(try await server.open(database).record(for: key) == nil)
    }

    @Test("A role without rights is told what to grant, and with exactly that the store works")
    func rights() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let role = "app_\(database)"
        try server.sql("CREATE ROLE \(role) LOGIN")
        let store = try server.open(database, role: role)
        let refused = await error { try await store.record(for: key) }
        #expect(refused?.failureCode == "store_not_writable" && refused?.message.contains(role) == true)
        #expect(refused?.message.contains("GRANT SELECT, INSERT, UPDATE, DELETE") == true)
        try server.sql(PostgresSchema().grants(to: role), in: database)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let lease = try #require(try await store.lease(for: key))
        await lease.release()
        #expect(try await store.records(in: .accounts).records.count == 1)
    }

    @Test("A server whose certificate is another host's, or of an unknown or missing authority, is refused")
    func certificates() async throws {
        let port = FreePort.find()
        let server = try PostgresServer(listeningAt: "127.0.0.1", port: port, certifiedFor: "db.example.com")
        let (_, database) = try await server.store()
        let remote = server.remoteURL(database, at: "127.0.0.1", port: port).reveal()
        let mistakes = [
            // The address is right, the name is not.
            (remote, "host"),
            (remote.replacingOccurrences(of: "\(server.folder)/server.crt", with: "system"), "sslrootcert"),
            (remote.replacingOccurrences(of: "\(server.folder)/server.crt", with: "/missing.pem"), "/missing.pem"),
        ]
        for (mistake, words) in mistakes {
            let error = await error {
                try await PostgresTokenStore(url: Secret(mistake), options: .patient).record(for: key)
            }
            #expect(error?.failureCode == "store_insecure", "\(error?.message ?? "no error")")
            #expect(error?.message.contains("certificate") == true, "\(error?.message ?? "no error")")
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "no error")")
        }
        let right =
            "hostaddr=127.0.0.1 " + remote.replacingOccurrences(of: "host=127.0.0.1", with: "host=db.example.com")
        #expect(try await PostgresTokenStore(url: Secret(right), options: .patient).record(for: key) == nil)
    }

    @Test("Without synchronous commits a rotated token could be lost, so the store refuses")
    func asynchronous() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        try server.sql("ALTER DATABASE \(database) SET synchronous_commit = off")
        let error = await error { try await server.open(database).record(for: key) }
        #expect(error?.failureCode == "store_insecure" && error?.message.contains("synchronous_commit") == true)
    }

    @Test("A database that was set to read-only is told as such")
    func readOnly() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        try server.sql("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        let store = try server.open(database, options: .waiting(.seconds(1)))
        var message: String?
        while message?.contains("read-only") != true {
            let failure = await error { try await store.record(for: key) }
            #expect(failure?.failureCode == "store_unavailable")
            message = failure?.message
        }
    }

    @Test("Two stores with different keys on one database: the second one is refused, and the records stay")
    func keys() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let folder = try TemporaryFolder()
        let stores = try ["one", "two"].map { name in
            SealedTokenStore(
                try server.open(database), storeID: "fleet",
                key: KeyFile(path: folder.file(name).path))
        }
        try await stores[0].write(Data("a".utf8), for: key, replacing: 0)
        #expect(
            await error { try await stores[1].write(Data("b".utf8), for: key, replacing: 1) }?.failureCode
                == "store_key_unavailable")
        #expect(await error { try await stores[1].record(for: key) }?.failureCode == "store_key_unavailable")
        #expect(try await stores[0].record(for: key)?.content == Data("a".utf8))
    }

    @Test("Ten programs may create the tables at once")
    func migrations() async throws {
        let server = try PostgresServer.shared()
        let url = server.url(try server.database())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { try await PostgresTokenStore(url: url, options: .patient).migrate() } }
            try await group.waitForAll()
        }
        let store = try PostgresTokenStore(url: url, options: .patient)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try await store.migrate()
        #expect(try await store.record(for: key)?.generation == 1)
    }

    private func error<Result>(_ body: () async throws -> Result) async -> (any IdentityFailure)? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? any IdentityFailure
        }
    }
}
#endif
