import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@testable import ThunderID

@Suite struct StorageTests {
    @Test("A storage adapter is a token store that keeps every promise", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let store = AdaptedTokenStore(InMemoryStorageAdapter())
        try await check.run { store }
    }

    @Test("What one store wrote, the next on the same adapter reads, generations included")
    func persistent() async throws {
        let adapter = InMemoryStorageAdapter()
        let key = StoreKey(.accounts, "a")
        let store = AdaptedTokenStore(adapter)
        try await store.write(Data("1".utf8), for: key, replacing: 0)
        try await store.write(nil, for: key, replacing: 1)
        let next = AdaptedTokenStore(adapter)
        #expect(try await next.record(for: key) == StoreRecord(key: key, generation: 2, content: nil))
        #expect(try await next.records(in: .accounts).records.map(\.generation) == [2])
        await #expect(throws: TokenStoreError.conflict(key, current: 2)) {
            try await next.write(Data("2".utf8), for: key, replacing: 0)
        }
    }

    @Test("All clients of a place have one store, with its leases")
    func places() async throws {
        struct Copied: StorageAdapter {
            private let base = InMemoryStorageAdapter()
            func store(key: String, value: String) { base.store(key: key, value: value) }
            func retrieve(key: String) -> String? { base.retrieve(key: key) }
            func delete(key: String) { base.delete(key: key) }
            func clear() { base.clear() }
        }
        let (adapter, keychain, copied) = (InMemoryStorageAdapter(), FakeKeychain(), Copied())
        let key = StoreKey(.accounts, "a")
        let (first, second) = (AdaptedTokenStore.open(adapter), AdaptedTokenStore.open(adapter))
        let lease = try #require(try await first.lease(for: key))
        #expect(try await second.lease(for: key) == nil)
        await lease.release()
        #expect(AdaptedTokenStore.open(InMemoryStorageAdapter()) !== first)
        let inKeychain = ["a", "a", "b"].map {
            AdaptedTokenStore.open(KeychainStorageAdapter(keychain, service: $0))
        }
        #expect(inKeychain[0] === inKeychain[1] && inKeychain[0] !== inKeychain[2])
        #expect(AdaptedTokenStore.open(copied) !== AdaptedTokenStore.open(copied))
    }

    @Test("Two names that differ in the spelling of a character alone are two records")
    func spellings() async throws {
        let store = AdaptedTokenStore(InMemoryStorageAdapter())
        let keys = ["caf\u{E9}", "cafe\u{301}", "caf%C3%A9"].map { StoreKey(.accounts, $0) }
        for key in keys { try await store.write(Data(key.name.utf8), for: key, replacing: 0) }
        for key in keys {
            #expect(try await store.record(for: key)?.content == Data(key.name.utf8))
        }
        #expect(try await store.records(in: .accounts).records.count == 3)
    }

    @Test(
        "A generation that no write made is damage",
        arguments: ["18446744073709551615", "9223372036854775807", "9007199254740993", "0"])
    func impossibleGeneration(number: String) async throws {
        let adapter = InMemoryStorageAdapter()
        let store = AdaptedTokenStore(adapter)
        let key = StoreKey(.accounts, "a")
        try await store.write(Data("1".utf8), for: key, replacing: 0)
        adapter.store(key: "swift-identity.accounts.a", value: #"{"generation":\#(number),"content":"MQ=="}"#)
        let generation = UInt64(number) ?? 0
        await #expect(throws: TokenStoreError.self) {
            try await store.write(Data("2".utf8), for: key, replacing: generation)
        }
        try await store.quarantine(key)
        let record = try #require(try await store.record(for: key))
        try await store.write(Data("3".utf8), for: key, replacing: record.generation)
    }

    @Test("A text that is no record is damage, not absence; set aside, it makes room")
    func damaged() async throws {
        let adapter = InMemoryStorageAdapter()
        let store = AdaptedTokenStore(adapter)
        let key = StoreKey(.accounts, "a")
        try await store.write(Data("1".utf8), for: key, replacing: 0)
        adapter.store(key: "swift-identity.accounts.a", value: "garbage")
        await #expect(throws: TokenStoreError.self) { try await store.record(for: key) }
        #expect(try await store.records(in: .accounts).failures.count == 1)
        try await store.quarantine(key)
        let record = try #require(try await store.record(for: key))
        #expect(record.content == nil && record.generation > 1)
    }

    @Test("A text that is no list of names is damage, not absence; the next write makes a list")
    func damagedNames() async throws {
        let adapter = InMemoryStorageAdapter()
        let store = AdaptedTokenStore(adapter)
        try await store.write(Data("1".utf8), for: StoreKey(.accounts, "a"), replacing: 0)
        adapter.store(key: "swift-identity.accounts", value: "[")
        let damaged = try await store.records(in: .accounts)
        #expect(damaged.records.isEmpty && damaged.failures.map(\.failureCode) == ["store_corrupt"])
        #expect(try await store.records(in: .accounts).failures.isEmpty, "it is reported once")
        #expect(try await store.record(for: StoreKey(.accounts, "a"))?.generation == 1)
        try await store.write(Data("2".utf8), for: StoreKey(.accounts, "b"), replacing: 0)
        let listing = try await store.records(in: .accounts)
        #expect(listing.records.map(\.key.name) == ["b"] && listing.failures.isEmpty)
    }

    @Test("The memory adapter deletes what it is asked to")
    func memory() throws {
        let adapter: any StorageAdapter = InMemoryStorageAdapter()
        try adapter.store(key: "a", value: "1")
        try adapter.store(key: "b", value: "2")
        try adapter.delete(key: "a")
        #expect(try adapter.retrieve(key: "a") == nil)
        #expect(try adapter.retrieve(key: "b") == "2")
        try adapter.clear()
        #expect(try adapter.retrieve(key: "b") == nil)
    }

    #if !canImport(Security)
    @Test("Without a Keychain the default storage is a folder of its name, also for a group")
    func defaultPlace() {
        var config = ThunderIDConfig(baseUrl: "https://id.example.com", accessGroup: "TEAM.shared")
        config.instanceId = 2
        let place = DefaultStore.configuration(for: config, variables: ["XDG_DATA_HOME": "/data"])
        #expect(place == .file(folder: "/data/thunderid-2"))
    }

    @Test("Without a Keychain sessions are kept in sealed files of the person's data folder")
    func defaultStore() async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: root) }
        var config = ThunderIDConfig(baseUrl: "https://id.example.com")
        config.instanceId = 2
        let store = try DefaultStore.open(
            for: config, variables: ["XDG_DATA_HOME": root.path], time: .system)
        try await store.write(Data("planted".utf8), for: StoreKey(.accounts, "a"), replacing: 0)
        let folder = root.appendingPathComponent("thunderid-2")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
        #expect(files.count > 1)
        for case let file as URL in files {
            let content = (try? Data(contentsOf: file)) ?? Data()
            #expect(content.range(of: Data("planted".utf8)) == nil)
        }
    }
    #endif
}
