import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

/// The key of a sealed store is replaced while programs use it.
@Suite struct RekeyingTests {
    private let folder: TemporaryFolder
    private let key = StoreKey(.accounts, "work/ada")

    init() throws {
        folder = try TemporaryFolder()
    }

    private var base: FileTokenStore {
        get throws { try FileTokenStore(folder: folder.file("store"), protection: .keyFile) }
    }

    /// The store with these keys, the first one sealing.
    private func store(_ keys: DataKey...) throws -> SealedTokenStore {
        let text = keys.map { $0.text.reveal() }.joined(separator: "\n") + "\n"
        let name = keys.map { $0.text.reveal().filter { $0.isLetter || $0.isNumber } }.joined(separator: "-")
        let path = folder.file("keys-\(name)").path
        if !FileManager.default.fileExists(atPath: path) {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        return SealedTokenStore(try base, storeID: "s", key: KeyFile(path: path))
    }

    @Test("Step by step no program loses a session, and at the end the old key is not needed")
    func rotation() async throws {
        let (old, new) = (try DataKey(), try DataKey())
        try await store(old).write(Data("1".utf8), for: key, replacing: 0)
        // The new key behind the old one, while others have the old one alone.
        let behind = try store(old, new)
        try await behind.write(Data("2".utf8), for: key, replacing: 1)
        #expect(try await store(old).record(for: key)?.content == Data("2".utf8))
        // First, while others have it behind.
        let first = try store(new, old)
        try await first.write(Data("3".utf8), for: key, replacing: 2)
        #expect(try await behind.record(for: key)?.content == Data("3".utf8))
        try await behind.write(Data("4".utf8), for: key, replacing: 3)
        let other = StoreKey(StoreKey.Collection(rawValue: "of-a-plug-in"), "bob")
        try await behind.write(Data("bob".utf8), for: other, replacing: 0)
        #expect(try await first.record(for: key)?.content == Data("4".utf8))

        let progress = try await first.rekey()
        #expect(progress.resealed == 2 && progress.failures == 0)
        let alone = try store(new)
        let record = try await alone.record(for: key)
        #expect(record == StoreRecord(key: key, generation: 4, content: Data("4".utf8)))
        #expect(try await alone.record(for: other)?.content == Data("bob".utf8))
        let again = try await alone.rekey()
        #expect(again.seen == progress.seen && again.resealed == 0 && again.failures == 0)
    }

    @Test("A program without the key of a record says so, and does not take the record for damaged")
    func missingKey() async throws {
        let (old, new) = (try DataKey(), try DataKey())
        try await store(old).write(Data("1".utf8), for: key, replacing: 0)
        try await store(new, old).write(Data("2".utf8), for: key, replacing: 1)
        let behind = try store(old)
        let error = await #expect(throws: TokenStoreError.self) { try await behind.record(for: key) }
        #expect(error?.failureCode == "store_sealed_with_other_key" && error?.failureClass == .transient)
        #expect(try await store(new, old).record(for: key)?.content == Data("2".utf8))
        // Without the key that the store was made with, nothing is opened at all.
        await #expect(throws: TokenStoreError.self) { try await store(new).record(for: key) }
    }

    @Test("A key that its home got meanwhile is found", arguments: [false, true])
    func reloaded(listing: Bool) async throws {
        let (old, new) = (try DataKey(), try DataKey())
        let (clock, keys) = (ManualClock(), Locked("\(old.text.reveal())"))
        let here = SealedTokenStore(
            try base, storeID: "s", key: VariableKey(variable: "KEY") { _ in keys.withLock { $0 } },
            time: clock.timeSource)
        try await here.write(Data("1".utf8), for: key, replacing: 0)
        // Without a key in the home, the one in memory opens what it has sealed.
        let known = keys.exchange("")
        let other = StoreKey(.accounts, "work/bob")
        try await store(new, old).write(Data("2".utf8), for: other, replacing: 0)
        clock.advance(by: .seconds(60))
        if listing {
            let records = try await here.records(in: .accounts)
            #expect(records.records.map(\.content) == [Data("1".utf8)] && records.failures.count == 1)
        } else {
            await #expect(throws: TokenStoreError.self) { try await here.record(for: other) }
        }
        #expect(try await here.record(for: key)?.content == Data("1".utf8))
        _ = keys.exchange("\(known) \(new.text.reveal())")
        let found =
            if listing { try await here.records(in: .accounts).records } else {
                try await here.records(for: [key, other])
            }
        #expect(Set(found.compactMap(\.content)) == [Data("1".utf8), Data("2".utf8)])
    }

    @Test("A program that goes on seals with the new key after a minute", arguments: [false, true])
    func goingOn(atOnce: Bool) async throws {
        let (old, new) = (try DataKey(), try DataKey())
        let (oldText, newText) = (old.text.reveal(), new.text.reveal())
        let (clock, keys) = (ManualClock(), Locked("\(oldText) \(newText)"))
        let here = SealedTokenStore(
            try base, storeID: "s", key: VariableKey(variable: "KEY") { _ in keys.withLock { $0 } },
            time: clock.timeSource)
        func writeAfterAMinute(_ text: String, replacing generation: UInt64) async throws {
            clock.advance(by: .seconds(60))
            if atOnce {
                _ = try #require(try here.immediateWrite(Data(text.utf8), for: key, replacing: generation))
            } else {
                try await here.write(Data(text.utf8), for: key, replacing: generation)
            }
        }
        try await here.write(Data("1".utf8), for: key, replacing: 0)
        _ = keys.exchange("\(newText) \(oldText)")
        try await writeAfterAMinute("2", replacing: 1)
        let progress = try await store(new, old).rekey()
        #expect(progress.resealed == 0 && progress.failures == 0)
        // The keys in memory are good as long as their home cannot be read, or has only keys of another store.
        for text in ["", "no key", try DataKey().text.reveal()] {
            _ = keys.exchange(text)
            let generation = try #require(try await here.record(for: key)?.generation)
            try await writeAfterAMinute("\(generation + 1)", replacing: generation)
        }
        _ = keys.exchange(newText)
        try await writeAfterAMinute("6", replacing: 5)
        #expect(try await store(new).record(for: key)?.content == Data("6".utf8))
    }

    @Test("A write that comes first is not undone")
    func overtaken() async throws {
        let (old, new) = (try DataKey(), try DataKey())
        let behind = try store(old, new)
        try await behind.write(Data("1".utf8), for: key, replacing: 0)
        let sealed = try #require(try await base.record(for: key)?.content)
        try await behind.write(Data("2".utf8), for: key, replacing: 1)
        #expect(try await base.replace(sealed, of: key, at: 1, with: Data()) == false)
        #expect(try await behind.record(for: key)?.content == Data("2".utf8))
    }

    @Test("A text is keys only when each part is one", arguments: ["", " ", "x", "AAAA", "\n\n"])
    func malformed(text: String) throws {
        #expect(DataKeys(text: Secret(text)) == nil)
        let key = try DataKey().text.reveal()
        #expect(DataKeys(text: Secret("\(key) x")) == nil)
        #expect(DataKeys(text: Secret(" \(key)\n"))?.others == [])
    }
}
