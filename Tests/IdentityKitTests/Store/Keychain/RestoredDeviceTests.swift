import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// A backup is restored on another device: the store's files are there, and its key is not.
@Suite struct RestoredDeviceTests {
    private let fixture = SessionsFixture()
    private let base = MemoryTokenStore()
    private let old = FakeKeychain()
    private let new = FakeKeychain()

    private func sessions(_ keychain: FakeKeychain) -> ProviderSessions {
        fixture.sessions(store: SealedTokenStore(base, storeID: "s", key: KeychainKey(keychain)))
    }

    private func signIn(on keychain: FakeKeychain) async throws {
        try await sessions(keychain).begin(fixture.credential(), for: fixture.account)
    }

    private func token(on keychain: FakeKeychain) async -> String? {
        await FileStoreFixture.failureCode {
            _ = try await sessions(keychain).accessToken(for: fixture.account, scopes: [])
        }
    }

    @Test("Nobody is signed in there, a sign-in works, and the old sessions are kept aside")
    func startsAnew() async throws {
        try await signIn(on: old)
        let sealed = try #require(try await base.record(for: .account(fixture.account))?.content)
        #expect(await token(on: new) == "not_signed_in")
        #expect(try await sessions(new).lookUp(fixture.account).account == nil)
        let aside = try await base.records(in: StoreKey.Collection(rawValue: "quarantine")).records
        #expect(aside.contains { $0.content == sealed })
        try await signIn(on: new)
        #expect(await token(on: new) == nil)
    }

    @Test("No record stays there that is encrypted with the key of the old device")
    func everyCollection() async throws {
        try await signIn(on: old)
        let former = SealedTokenStore(base, storeID: "s", key: KeychainKey(old))
        let collections = ["current-accounts", "pauses", "revocations"].map(StoreKey.Collection.init(rawValue:))
        for collection in collections {
            try await former.write(Data("content".utf8), for: StoreKey(collection, "0"), replacing: 0)
        }
        #expect(await token(on: new) == "not_signed_in")
        for collection in collections {
            #expect(try await base.records(in: collection).records.allSatisfy { $0.content == nil }, "\(collection)")
        }
    }

    @Test("A sign-in and a sign-out are the first that may happen there, too")
    func firstCalls() async throws {
        try await signIn(on: old)
        try await signIn(on: new)
        #expect(await token(on: new) == nil)
        let third = FakeKeychain()
        _ = try await sessions(third).end(fixture.account)
        #expect(await token(on: third) == "not_signed_in")
    }

    @Test("It is told once")
    func told() async throws {
        try await signIn(on: old)
        let recorder = EventRecorder()
        fixture.monitor.observers.add(recorder)
        let sessions = sessions(new)
        for _ in 0..<3 { _ = try await sessions.lookUp(fixture.account) }
        try await sessions.begin(fixture.credential(), for: fixture.account)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await sessions.accessToken(for: fixture.account, scopes: [])
        let names = await recorder.names("store", until: "refresh.stored")
        #expect(names.filter { $0 == "store.started_anew" }.count == 1)
    }

    @Test("While the new device is locked nothing is set aside", arguments: FakeKeychain.LockedAnswer.allCases)
    func locked(answer: FakeKeychain.LockedAnswer) async throws {
        try await signIn(on: old)
        let before = try await base.records(in: .accounts)
        new.lock(answering: answer)
        #expect(await token(on: new) == "store_locked")
        #expect(try await base.records(in: .accounts) == before)
        // It was the old device after all.
        #expect(await token(on: old) == nil)
        new.lock(answering: nil)
        #expect(await token(on: new) == "not_signed_in")
    }

    @Test("On the device that had the key, a key that is gone is waited for")
    func sameDevice() async throws {
        try await signIn(on: old)
        #expect(await token(on: old) == nil)
        let kept = old.items
        old.items = kept.filter { $0.key.account != "s" }
        #expect(await token(on: old) == "store_key_unavailable")
        old.items = kept
        #expect(await token(on: old) == nil)
    }

    /// The new device's Keychain. Another process makes the key between the first look at the record and that at the key.
    private struct LateKey: DeviceBoundDataKeyHome {
        let key: KeychainKey
        /// Whether the first look comes after that.
        let seesIt: Bool
        let otherProcess: @Sendable () async throws -> Void
        private let looks = Locked(0)
        var name: String { key.name }

        init(_ key: KeychainKey, seesIt: Bool, otherProcess: @escaping @Sendable () async throws -> Void) {
            (self.key, self.seesIt, self.otherProcess) = (key, seesIt, otherProcess)
        }

        func deviceIdentifier() throws -> String { try key.deviceIdentifier() }

        func keys(forStore storeID: String) async throws -> [DataKey] {
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            if look == 1 { try await otherProcess() }
            return look == 1 && !seesIt ? [] : try key.keys(forStore: storeID)
        }

        func makeKey(forStore storeID: String) async throws -> DataKey { try await key.makeKey(forStore: storeID) }
    }

    @Test(
        "A key that another process makes between two looks is neither gone nor another store's",
        arguments: [true, false])
    func madeMeanwhile(seesIt: Bool) async throws {
        try await signIn(on: old)
        let (first, second) = (StoreKey(.accounts, "work/first"), StoreKey(.accounts, "work/second"))
        let other = SealedTokenStore(base, storeID: "s", key: KeychainKey(new))
        let late = SealedTokenStore(
            base, storeID: "s",
            key: LateKey(KeychainKey(new), seesIt: seesIt) {
                try await other.write(Data("a".utf8), for: first, replacing: 0)
            })
        try await late.write(Data("b".utf8), for: second, replacing: 0)
        for store in [late, other] {
            #expect(try await store.record(for: first)?.content == Data("a".utf8))
            #expect(try await store.record(for: second)?.content == Data("b".utf8))
        }
    }

    @Test("Fifty tasks that find it at once make one key")
    func atOnce() async throws {
        try await signIn(on: old)
        let store = SealedTokenStore(base, storeID: "s", key: KeychainKey(new))
        let other = SealedTokenStore(base, storeID: "s", key: KeychainKey(new))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let key = StoreKey(.accounts, "work/user-\(number)")
                    try await (number.isMultiple(of: 2) ? store : other).write(Data("a".utf8), for: key, replacing: 0)
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<50 {
            let key = StoreKey(.accounts, "work/user-\(number)")
            #expect(try await store.record(for: key)?.content == Data("a".utf8))
            #expect(try await other.record(for: key)?.content == Data("a".utf8))
        }
        #expect(new.items.keys.filter { $0.account == "s" }.count == 1)
    }
}
