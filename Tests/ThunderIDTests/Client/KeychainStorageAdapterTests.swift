import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@testable import ThunderID

/// The documented storage in the Keychain, over a Keychain in memory that can be locked.
@Suite struct KeychainStorageAdapterTests {
    private let keychain = FakeKeychain()

    private func open(_ service: String = "test") -> KeychainStorageAdapter {
        KeychainStorageAdapter(keychain, service: service)
    }

    private func code(_ body: () throws -> some Any) -> String? {
        #expect(throws: TokenStoreError.self) { _ = try body() }?.failureCode
    }

    @Test("What was stored last is found, until it is deleted")
    func stores() throws {
        #expect(try open().retrieve(key: "a") == nil)
        try open().store(key: "a", value: "1")
        try open().store(key: "a", value: "2")
        try open().store(key: "b", value: "3")
        #expect(try open().retrieve(key: "a") == "2")
        try open().delete(key: "a")
        try open().delete(key: "a")
        #expect(try open().retrieve(key: "a") == nil && open().retrieve(key: "b") == "3")
    }

    @Test("Clearing forgets this service's items and no other's")
    func clears() throws {
        try open().store(key: "a", value: "1")
        try open().store(key: "b", value: "2")
        try open("other").store(key: "a", value: "3")
        try open().clear()
        #expect(try open().retrieve(key: "a") == nil && open().retrieve(key: "b") == nil)
        #expect(try open("other").retrieve(key: "a") == "3")
        try open().clear()
    }

    @Test("An item is replaced in place: no moment is without it")
    func inPlace() throws {
        try open().store(key: "a", value: "1")
        let seen = Locked<Bool?>(nil)
        keychain.beforeNextUpdate { keychain in
            seen.withLock { $0 = keychain.items.keys.contains { $0.account == "a" } }
        }
        try open().store(key: "a", value: "2")
        #expect(seen.withLock { $0 } == true)
        // Deleted by another process between the look and the update, it is added.
        keychain.beforeNextUpdate { $0.items = $0.items.filter { $0.key.account != "a" } }
        try open().store(key: "a", value: "3")
        #expect(try open().retrieve(key: "a") == "3")
    }

    @Test("Locked is not absent, whatever the system says", arguments: FakeKeychain.LockedAnswer.allCases)
    func locked(answer: FakeKeychain.LockedAnswer) throws {
        try open().store(key: "a", value: "1")
        keychain.lock(answering: answer)
        #expect(code { try open().retrieve(key: "a") } == "store_locked")
        #expect(code { try open().store(key: "a", value: "2") } == "store_locked")
        #expect(code { try open().delete(key: "a") } == "store_locked")
        #expect(code { try open().clear() } == "store_locked")
        keychain.lock(answering: nil)
        #expect(try open().retrieve(key: "a") == "1")
    }

    @Test("A value has a largest size, and a missing entitlement is named")
    func limits() throws {
        let largest = String(repeating: "x", count: KeychainStorageAdapter.maximumSize)
        try open().store(key: "a", value: largest)
        #expect(code { try open().store(key: "a", value: largest + "x") } == "store_not_writable")
        keychain.withdrawEntitlement()
        #expect(code { try open().retrieve(key: "a") } == "store_unreadable")
    }

    @Test("The framework's store over it keeps every promise", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        let store = AdaptedTokenStore(open())
        try await check.run { store }
    }
}
