import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// The Keychain store's logic, over a Keychain in memory that can be locked.
@Suite struct KeychainTokenStoreTests {
    private let keychain = FakeKeychain()
    private let clock = ManualClock()
    private let key = StoreKey(.accounts, "work/ada")

    /// Each opener is another process, as far as the store can tell.
    private func open(_ time: TimeSource = .system) -> KeychainTokenStore {
        KeychainTokenStore(keychain, service: "test", lookingEvery: .milliseconds(20), time: time)
    }

    private func code(_ body: () async throws -> some Any) async -> String? {
        await FileStoreFixture.failureCode { _ = try await body() }
    }

    @Test("The Keychain store conforms", arguments: TokenStoreConformance.checks)
    func conforms(check: TokenStoreConformance.Check) async throws {
        try await check.run { open() }
    }

    // MARK: Locked is not absent

    @Test(
        "Before the first unlock nothing is absent, whatever the system says",
        arguments: FakeKeychain.LockedAnswer.allCases)
    func lockedIsNotAbsent(answer: FakeKeychain.LockedAnswer) async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        keychain.lock(answering: answer)
        let restarted = open()
        #expect(await code { try await restarted.record(for: key) } == "store_locked")
        #expect(await code { try await restarted.records(in: .accounts) } == "store_locked")
        #expect(await code { try await restarted.write(Data(), for: key, replacing: 1) } == "store_locked")
        #expect(await code { try await restarted.lease(for: key) } == "store_locked")
        #expect(await code { try await restarted.quarantine(key) } == "store_locked")
        keychain.lock(answering: nil)
        #expect(try await restarted.record(for: key)?.content == Data("session".utf8))
    }

    @Test(
        "A store that never held anything is not taken for a signed-out one while it is locked",
        arguments: FakeKeychain.LockedAnswer.allCases)
    func lockedAndNew(answer: FakeKeychain.LockedAnswer) async throws {
        keychain.lock(answering: answer)
        #expect(await code { try await open().record(for: key) } == "store_locked")
        keychain.lock(answering: nil)
        #expect(try await open().record(for: key) == nil)
    }

    // MARK: What a status means

    @Test(
        "A status becomes the error that tells what to do",
        arguments: [
            (KeychainError.interactionNotAllowed, "store_locked", "store_locked"),
            (.interactionRequired, "store_locked", "store_locked"), (.notAvailable, "store_locked", "store_locked"),
            (.userCanceled, "store_locked", "store_locked"), (.decode, "store_corrupt", "store_corrupt"),
            (.diskFull, "store_full", "store_full"),
            (.missingEntitlement, "store_unreadable", "store_not_writable"),
            (KeychainError(status: -36), "store_unreadable", "store_not_writable"),
        ])
    func statuses(failure: KeychainError, whenReading: String, whenWriting: String) async throws {
        let store = open()
        #expect(try await store.record(for: key) == nil)
        keychain.failNext(failure)
        #expect(await code { try await store.record(for: key) } == whenReading)
        // A write looks first; the look goes through here.
        keychain.failNext(.itemNotFound)
        keychain.failNext(failure)
        #expect(await code { try await store.write(Data(), for: key, replacing: 0) } == whenWriting)
    }

    @Test("A missing entitlement is named as what it is")
    func entitlement() async throws {
        keychain.withdrawEntitlement()
        do {
            _ = try await open().record(for: key)
            Issue.record("It was read.")
        } catch let error as TokenStoreError {
            #expect(error.message.contains("Keychain Sharing"))
        }
    }

    // MARK: Writing

    @Test("Whoever is faster between the look and the update wins")
    func race() async throws {
        let (ours, theirs) = (open(), open())
        try await ours.write(Data("1".utf8), for: key, replacing: 0)
        try await theirs.write(Data("2".utf8), for: key, replacing: 1)
        let newer = keychain.items
        let name = try #require(newer.keys.first { $0.service == "test" })
        try await theirs.write(Data("3".utf8), for: key, replacing: 2)
        let newest = try #require(keychain.items[name])
        keychain.items = newer
        keychain.beforeNextUpdate { $0.replace(name, with: newest) }
        await #expect(throws: TokenStoreError.conflict(key, current: 3)) {
            try await ours.write(Data("mine".utf8), for: key, replacing: 2)
        }
        #expect(try await ours.record(for: key)?.content == Data("3".utf8))
    }

    @Test("An item is never deleted to be written again")
    func updatesInPlace() async throws {
        let store = open()
        try await store.write(Data("1".utf8), for: key, replacing: 0)
        keychain.beforeNextUpdate { keychain in
            #expect(keychain.items.keys.contains { $0.service == "test" })
        }
        try await store.write(nil, for: key, replacing: 1)
        #expect(try await store.record(for: key) == StoreRecord(key: key, generation: 2, content: nil))
    }

    @Test("A content has a largest size")
    func sizeIsBounded() async throws {
        let store = open()
        let largest = Data(count: KeychainTokenStore.maximumSize)
        try await store.write(largest, for: key, replacing: 0)
        #expect(
            await code { try await store.write(largest + [0], for: key, replacing: 1) } == "store_not_writable")
        #expect(try await store.record(for: key)?.generation == 1)
    }

    @Test("No account name and no content shows in what the Keychain lists")
    func namesDoNotShow() async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        for (name, item) in keychain.items {
            #expect(!"\(name.service) \(name.account) \(String(decoding: item.tag, as: UTF8.self))".contains("ada"))
        }
    }

    // MARK: Damage

    @Test("A damaged item is an error, hides nothing else, and can be set aside")
    func damage() async throws {
        let store = open()
        let other = StoreKey(.accounts, "work/bob")
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let name = try #require(keychain.items.keys.first { $0.service == "test" })
        try await store.write(Data("b".utf8), for: other, replacing: 0)
        keychain.replace(name, with: KeychainItem(tag: Data("1".utf8), value: Data("nonsense".utf8)))
        #expect(await code { try await store.record(for: key) } == "store_corrupt")
        let listing = try await store.records(in: .accounts)
        #expect(listing.records.map(\.key) == [other])
        #expect(listing.failures.map(\.failureCode) == ["store_corrupt"])

        try await store.quarantine(key)
        let record = try #require(try await store.record(for: key))
        #expect(record.content == nil)
        #expect(record.generation > 1)
        try await store.write(Data("c".utf8), for: key, replacing: record.generation)
    }

    @Test("A record under another state's tag is damaged: nobody could write it")
    func foreignTag() async throws {
        let store = open()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let (name, item) = try #require(keychain.items.first { $0.key.service == "test" })
        keychain.replace(name, with: KeychainItem(tag: Data("7".utf8), value: item.value))
        #expect(await code { try await store.record(for: key) } == "store_corrupt")
        try await store.quarantine(key)
        #expect(try await store.record(for: key)?.content == nil)
    }

    @Test("What is stored can be had without waiting, and a locked Keychain says so")
    func immediateRecords() async throws {
        let store = open()
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try store.immediateRecords(in: .accounts)?.records.map(\.key) == [key])
        keychain.lock(answering: .interactionNotAllowed)
        #expect(await code { try store.immediateRecords(in: .accounts) } == "store_locked")
    }

    // MARK: Leases

    @Test("A lease of a process that was suspended ends with its deadline, and its write loses")
    func leaseEnds() async throws {
        let (ours, theirs) = (open(clock.timeSource), open(clock.timeSource))
        let lease = try #require(try await ours.lease(for: key))
        clock.advance(by: .seconds(44))
        #expect(try await theirs.lease(for: key) == nil)
        clock.advance(by: .seconds(1))
        let next = try #require(try await theirs.lease(for: key))
        await #expect(throws: TokenStoreError.conflict(key, current: 0)) {
            try await lease.write(Data(), replacing: 0)
        }
        // What is over takes nothing from its successor.
        await lease.release()
        #expect(try await ours.lease(for: key) == nil)
        try await next.write(Data("new".utf8), replacing: 0)
        await next.release()
    }

    @Test("Whoever sets the clock on the wall moves no lease")
    func clockSet() async throws {
        let boot = Locked(Duration.seconds(1000))
        let time = TimeSource(now: { [clock] in clock.now }, uptime: { boot.withLock { $0 } }, sleep: { _ in })
        let lease = try #require(try await open(time).lease(for: key))
        for seconds in [7200, -86_400] {
            clock.advance(by: .seconds(seconds))
            #expect(try await open(time).lease(for: key) == nil)
        }
        boot.withLock { $0 += .seconds(45) }
        #expect(try await open(time).lease(for: key) != nil)
        await lease.release()
    }

    @Test("A clock that is set back does not make a lease last for ever")
    func clockSetBack() async throws {
        let lease = try #require(try await open(clock.timeSource).lease(for: key))
        let yesterday = TimeSource(now: { [clock] in clock.now - 86_400 }, sleep: { _ in })
        #expect(try await open(yesterday).lease(for: key) != nil)
        await lease.release()
    }

    @Test("A store sealed over the Keychain conforms too", arguments: TokenStoreConformance.checks)
    func sealed(check: TokenStoreConformance.Check) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let home = KeyFile(path: folder.appendingPathComponent("key").path)
        try await check.run { SealedTokenStore(open(), storeID: "test", key: home) }
    }
}
