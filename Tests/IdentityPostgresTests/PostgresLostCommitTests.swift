#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// A database that has lost its last commits, as an asynchronous standby has that is promoted.
@Suite(.endsInTime) struct PostgresLostCommitTests {
    private let key = StoreKey(.accounts, "work/ada")

    /// A store that has written three generations, and what sets the database back to the first.
    private func lost(
        _ last: Data?, _ change: String = "content = 'first', written_at = now() - interval '1 hour'"
    ) async throws -> PostgresTokenStore {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        for (generation, content) in [Data("first".utf8), Data("second".utf8), last].enumerated() {
            try await store.write(content, for: key, replacing: UInt64(generation))
        }
        try server.sql("UPDATE identity_records SET generation = 1, \(change)", in: database)
        return store
    }

    @Test("What a process has written is written back when it finds an earlier generation", arguments: [true, false])
    func writtenBack(isSignOut: Bool) async throws {
        let last = isSignOut ? nil : Data("third".utf8)
        let store = try await lost(last)
        let record = try await isSignOut ? store.record(for: key) : store.records(for: [key]).first
        #expect(record == StoreRecord(key: key, generation: 3, content: last))
        #expect(try await store.page(of: .accounts, after: nil, limit: 1).records.first?.generation == 3)
        #expect(try await store.write(Data("fourth".utf8), for: key, replacing: 3).generation == 4)
    }

    @Test("A sign-out after the loss stays, and so does a new session")
    func newer() async throws {
        for (change, content) in [("content = NULL", nil), ("content = 'new'", Data("new".utf8))] {
            let store = try await lost(Data("third".utf8), "\(change), written_at = now()")
            let record = try await store.record(for: key)
            #expect(record?.generation == 1 && record?.content == content)
        }
    }

    @Test("A process that knows nothing later writes nothing back")
    func others() async throws {
        let server = try PostgresServer.shared()
        let (writer, database) = try await server.store()
        try await writer.write(Data("a".utf8), for: key, replacing: 0)
        try await writer.write(Data("b".utf8), for: key, replacing: 1)
        try server.sql(Self.goingBack, in: database)
        #expect(try await server.open(database).record(for: key)?.generation == 1)
        #expect(try await writer.record(for: key)?.generation == 2)
    }

    @Test("What processes have read is written back by one of them, and all have it")
    func readersWriteBack() async throws {
        let server = try PostgresServer.shared()
        let (writer, database) = try await server.store()
        for (generation, content) in ["first", "second"].enumerated() {
            try await writer.write(Data(content.utf8), for: key, replacing: UInt64(generation))
        }
        let readers = try (0..<8).map { _ in try server.open(database) }
        for reader in readers { #expect(try await reader.record(for: key)?.generation == 2) }
        try server.sql(Self.goingBack, in: database)
        try await withThrowingTaskGroup(of: StoreRecord?.self) { group in
            for reader in readers { group.addTask { try await reader.record(for: key) } }
            for try await record in group {
                #expect(record?.generation == 2 && record?.content == Data("second".utf8))
            }
        }
    }

    @Test("A sign-out that the database has lost comes back after an earlier session that another process wrote back")
    func signOutAfterReader() async throws {
        let server = try PostgresServer.shared()
        let (writer, database) = try await server.store()
        try await writer.write(Data("first".utf8), for: key, replacing: 0)
        try await writer.write(Data("second".utf8), for: key, replacing: 1)
        let reader = try server.open(database)
        #expect(try await reader.record(for: key)?.generation == 2)
        try await writer.write(nil, for: key, replacing: 2)
        try server.sql(Self.goingBack, in: database)
        #expect(try await reader.record(for: key)?.generation == 2)
        let last = try await writer.record(for: key)
        #expect(last?.generation == 3 && last?.content == nil)
    }

    @Test("The entry of a sign-out that the database has lost comes back with it, and none with an earlier write")
    func auditEntry() async throws {
        var options = PostgresTokenStore.Options.patient
        options.keepsAuditTrail = true
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store(options: options)
        try await SessionAction.signIn.whileWriting {
            _ = try await store.write(Data("first".utf8), for: key, replacing: 0)
        }
        for (generation, action) in [(2, nil), (3, .signOut)] as [(UInt64, SessionAction?)] {
            if let action {
                try await action.whileWriting { _ = try await store.write(nil, for: key, replacing: generation - 1) }
            } else {
                try await store.write(Data("second".utf8), for: key, replacing: generation - 1)
            }
            // Reading it does not make it forgotten who wrote it.
            #expect(try await store.record(for: key)?.generation == generation)
            try server.sql("DELETE FROM identity_audit WHERE generation > 1; \(Self.goingBack)", in: database)
            #expect(try await store.record(for: key)?.generation == generation)
            let trail = try await store.auditTrail(of: AccountID(account: "ada", realm: "work"))
            #expect(trail.map(\.action) == [action, .signIn].compactMap(\.self))
            #expect(trail.first?.generation == (action == nil ? 1 : generation))
        }
        let times = "SELECT at = written_at FROM identity_audit JOIN identity_records USING (id, generation)"
        #expect(try server.sql(times, in: database) == "t")
    }

    private static let goingBack =
        "UPDATE identity_records SET generation = 1, content = 'first', written_at = now() - interval '1 hour'"
}
#endif
