import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// Writes without suspension.
@Suite struct ImmediateWriteTests {
    private let key = StoreKey(.pendingFlows, "flow")
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
    }

    private func sealed() throws -> any TokenStore {
        try StoreConfiguration.file(folder: temporary.file("sealed").path, key: .keyFile()).open()
    }

    @Test("Memory, files, sealed files and the Keychain are written at once, with compare-and-swap")
    func writes() async throws {
        let sealed = try sealed()
        // A new store makes its key.
        try await sealed.write(Data("first".utf8), for: StoreKey(.accounts, "a"), replacing: 0)
        let stores: [any TokenStore] = [
            MemoryTokenStore(), sealed, KeychainTokenStore(FakeKeychain(), service: "test"),
            try StoreConfiguration.file(folder: temporary.file("plain").path, key: .allowUnencryptedStorage).open(),
        ]
        for store in stores {
            let immediate = try #require(store as? any ImmediateTokenStore)
            let record = try #require(try immediate.immediateWrite(Data("one".utf8), for: key, replacing: 0))
            #expect(record.generation == 1 && record.content == Data("one".utf8))
            #expect(try await store.record(for: key)?.content == Data("one".utf8))
            #expect(throws: TokenStoreError.conflict(key, current: 1)) {
                try immediate.immediateWrite(Data("two".utf8), for: key, replacing: 0)
            }
            #expect(try immediate.immediateWrite(nil, for: key, replacing: 1)?.generation == 2)
            #expect(try await store.record(for: key)?.content == nil)
        }
    }

    @Test("A sealed store without a key yet writes nothing at once")
    func newStore() async throws {
        let store = try sealed()
        let immediate = try #require(store as? any ImmediateTokenStore)
        #expect(try immediate.immediateWrite(Data("one".utf8), for: key, replacing: 0) == nil)
        #expect(try await store.record(for: key) == nil)
    }
}
