import Foundation
import TestSupport
import Testing

@testable import IdentityKit

/// The key of sealed files in the Keychain, over a Keychain in memory that can be locked.
@Suite struct KeychainKeyTests {
    private let keychain = FakeKeychain()
    private let key = StoreKey(.accounts, "work/ada")

    private func code(_ body: () async throws -> some Any) async -> String? {
        await FileStoreFixture.failureCode { _ = try await body() }
    }

    @Test("A key is made once, and found again by another process")
    func madeOnce() async throws {
        let home = KeychainKey(keychain)
        #expect(try home.key(forStore: "s") == nil)
        let made = try await home.makeKey(forStore: "s")
        #expect(try await KeychainKey(keychain).makeKey(forStore: "s") == made)
        #expect(try KeychainKey(keychain).key(forStore: "s") == made)
        #expect(try home.key(forStore: "other") == nil)
    }

    @Test(
        "Before the first unlock no key is gone, whatever the system says",
        arguments: FakeKeychain.LockedAnswer.allCases)
    func lockedIsNotGone(answer: FakeKeychain.LockedAnswer) async throws {
        let base = MemoryTokenStore()
        func open() -> SealedTokenStore { SealedTokenStore(base, storeID: "s", key: KeychainKey(keychain)) }
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        keychain.lock(answering: answer)
        #expect(await code { try KeychainKey(keychain).key(forStore: "s") } == "store_locked")
        #expect(await code { try await KeychainKey(keychain).makeKey(forStore: "s") } == "store_locked")
        #expect(await code { try await open().record(for: key) } == "store_locked")
        #expect(await code { try open().immediateRecords(in: .accounts) } == "store_locked")
        keychain.lock(answering: nil)
        #expect(try await open().record(for: key)?.content == Data("session".utf8))
    }

    @Test("A new store is not given a key while the Keychain is locked")
    func lockedAndNew() async throws {
        keychain.lock(answering: .itemNotFound)
        let store = SealedTokenStore(MemoryTokenStore(), storeID: "s", key: KeychainKey(keychain))
        #expect(await code { try await store.write(Data(), for: key, replacing: 0) } == "store_locked")
        #expect(keychain.items.isEmpty)
    }

    @Test("A key that is gone is not replaced while something is sealed with it", arguments: [false, true])
    func lostKey(isNameLost: Bool) async throws {
        let base = MemoryTokenStore()
        func open() -> SealedTokenStore { SealedTokenStore(base, storeID: "s", key: KeychainKey(keychain)) }
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        let kept = keychain.items
        keychain.items = kept.filter { $0.key.account != "s" }
        if isNameLost {
            // With the key went what the store knew of it.
            for record in try await base.records(in: .device).records {
                try await base.write(nil, for: record.key, replacing: record.generation)
            }
        }
        #expect(await code { try await open().record(for: key) } == "store_key_unavailable")
        #expect(
            await code { try await open().write(Data("new".utf8), for: key, replacing: 1) } == "store_key_unavailable")
        keychain.items = kept
        #expect(try await open().record(for: key)?.content == Data("session".utf8))
    }

    @Test("A program that may not use the Keychain gets a key file, and a locked Keychain is used later")
    func unsigned() {
        #expect(KeyChoice.best(in: keychain) == .keychain)
        keychain.lock(answering: .interactionNotAllowed)
        #expect(KeyChoice.best(in: keychain) == .keychain)
        keychain.lock(answering: nil)
        keychain.withdrawEntitlement()
        #expect(KeyChoice.best(in: keychain) == .keyFile)
    }

    @Test("The store of a client is the Keychain, and files where the program may not use that")
    func clientStore() {
        func place(accessGroup: String? = nil) -> StoreConfiguration {
            .keychain(service: "dev.app.sdk", accessGroup: accessGroup, orFilesIn: "/data/app", asking: keychain)
        }
        #expect(place() == .keychain(service: "dev.app.sdk"))
        #expect(place(accessGroup: "G") == .keychain(service: "dev.app.sdk", accessGroup: "G"))
        keychain.lock(answering: .interactionNotAllowed)
        #expect(place() == .keychain(service: "dev.app.sdk"))
        keychain.lock(answering: nil)
        keychain.withdrawEntitlement()
        #expect(place() == .file(folder: "/data/app"))
        // A group that may not be used is a mistake to tell, not a reason to share nothing.
        #expect(place(accessGroup: "G") == .keychain(service: "dev.app.sdk", accessGroup: "G"))
    }

    @Test("Two apps with a common group share no default store, unless they name the group")
    func serviceOfApp() {
        func services(accessGroup: String?) -> [String] {
            ["com.example.a", "com.example.b", nil].map {
                StoreConfiguration.service("dev.app.sdk", accessGroup: accessGroup, of: $0)
            }
        }
        #expect(
            services(accessGroup: nil) == ["dev.app.sdk.com.example.a", "dev.app.sdk.com.example.b", "dev.app.sdk"])
        #expect(services(accessGroup: "G") == ["dev.app.sdk", "dev.app.sdk", "dev.app.sdk"])
    }

    @Test("What the Keychain says is said of the key")
    func statuses() async throws {
        let home = KeychainKey(keychain)
        keychain.failNext(.missingEntitlement)
        do {
            _ = try home.key(forStore: "s")
            Issue.record("It was read.")
        } catch TokenStoreError.keyUnavailable(let place, let detail) {
            #expect(place == "the Keychain" && detail.contains("Keychain Sharing"))
        }
        keychain.failNext(.diskFull)
        #expect(await code { try await home.makeKey(forStore: "s") } == "store_full")
        keychain.failNext(.decode)
        #expect(await code { try home.key(forStore: "s") } == "store_key_unavailable")
        _ = try await home.makeKey(forStore: "s")
        let name = try #require(keychain.items.keys.first { $0.account == "s" })
        keychain.replace(name, with: KeychainItem(tag: Data(), value: Data("nonsense".utf8)))
        #expect(await code { try home.key(forStore: "s") } == "store_key_unavailable")
    }
}
