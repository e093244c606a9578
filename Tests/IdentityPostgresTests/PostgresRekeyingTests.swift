#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// The key of a fleet is replaced, and what nobody uses is erased.
@Suite(.endsInTime) struct PostgresRekeyingTests {
    @Test("Every record is sealed anew, without a new generation and while others write")
    func rekeyed() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let (old, new) = (try DataKey().text.reveal(), try DataKey().text.reveal())
        func store(_ keys: String) throws -> SealedTokenStore {
            SealedTokenStore(
                try server.open(database), storeID: "fleet",
                key: VariableKey(variable: "KEY") { _ in keys })
        }
        let keys = (0..<450).map { StoreKey(.accounts, "work/\($0)") }
        let before = try store("\(old) \(new)")
        for key in keys { try await before.write(Data(key.name.utf8), for: key, replacing: 0) }
        try await before.write(Data("x".utf8), for: StoreKey(StoreKey.Collection(rawValue: "other"), "x"), replacing: 0)

        let after = try store("\(new) \(old)")
        async let writes: Void = {
            for key in keys.prefix(50) { try await before.write(Data("new".utf8), for: key, replacing: 1) }
        }()
        try await after.rekey()
        try await writes
        // Those that the former key has sealed meanwhile.
        let progress = try await after.rekey()
        #expect(progress.failures == 0 && progress.seen == 452)
        let alone = try store(new)
        for (index, key) in keys.enumerated() {
            let expected = StoreRecord(
                key: key, generation: index < 50 ? 2 : 1, content: Data((index < 50 ? "new" : key.name).utf8))
            #expect(try await alone.record(for: key) == expected)
        }
        #expect(try await alone.records(in: StoreKey.Collection(rawValue: "other")).failures.isEmpty)
    }

    @Test("What was erased long ago is removed with its name, and nothing else")
    func removed() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store()
        for name in ["erased long ago", "erased now", "live"] {
            try await store.write(Data("x".utf8), for: StoreKey(.device, name), replacing: 0)
        }
        for name in ["erased long ago", "erased now"] {
            try await store.write(nil, for: StoreKey(.device, name), replacing: 1)
        }
        try server.sql(
            "UPDATE identity_records SET written_at = now() - interval '100 days' WHERE convert_from(name, 'UTF8') <> 'erased now'",
            in: database)
        let progress = try await store.purge(unusedSince: Date() - 90 * 86_400)
        #expect(progress.removed == 1)
        let left = try await store.records(in: .device).records.map(\.key.name)
        #expect(Set(left) == ["erased now", "live"])
    }
}
#endif
