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
        #expect(try await store.page(of: .accounts, after: nil, limit: 1).listing.records.first?.generation == 3)
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

    @Test("A process that has written nothing writes nothing back")
    func others() async throws {
        let server = try PostgresServer.shared()
        let (writer, database) = try await server.store()
        try await writer.write(Data("a".utf8), for: key, replacing: 0)
        try await writer.write(Data("b".utf8), for: key, replacing: 1)
        try server.sql(
            "UPDATE identity_records SET generation = 1, written_at = now() - interval '1 hour'", in: database)
        #expect(try await server.open(database).record(for: key)?.generation == 1)
        #expect(try await writer.record(for: key)?.generation == 2)
    }
}
#endif
