import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// A key that a person has to open.
@Suite struct GuardedKeyTests {
    private let keychain = FakeKeychain()
    private let person: AskedPerson
    private let base = MemoryTokenStore()
    private let key = StoreKey(.accounts, "work/ada")

    init() { person = AskedPerson(keychain) }

    private func home(_ protection: KeyProtection = .biometry) -> GuardedKey {
        GuardedKey(keychain, guardian: person, protection: protection)
    }

    /// Another process.
    private func open(_ protection: KeyProtection = .biometry) -> SealedTokenStore {
        SealedTokenStore(base, storeID: "s", key: home(protection))
    }

    /// The key where every program of the app reads it.
    private var unguardedKey: KeychainItem? {
        keychain.items[KeychainName(service: "swift-identity.keys", account: "s")]
    }

    private func code(_ body: () async throws -> some Any) async -> String? {
        await FileStoreFixture.failureCode { _ = try await body() }
    }

    @Test("Nobody is asked when the key is made, and once in every process that reads")
    func asked() async throws {
        let first = open()
        try await first.write(Data("session".utf8), for: key, replacing: 0)
        #expect(try await first.record(for: key)?.content == Data("session".utf8) && person.timesAsked == 0)
        let second = open()
        #expect(try await second.record(for: key)?.content == Data("session".utf8))
        _ = try await second.records(in: .accounts)
        try await second.write(Data("next".utf8), for: key, replacing: 1)
        #expect(person.timesAsked == 1)
    }

    @Test("The item itself is guarded: what reads the Keychain without the person gets nothing")
    func guarded() async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        #expect(unguardedKey == nil)
        #expect(
            await code { try await SealedTokenStore(base, storeID: "s", key: KeychainKey(keychain)).record(for: key) }
                == "store_key_unavailable")
    }

    @Test("A person who refuses, or cannot be asked, leaves the store locked, and nothing is lost")
    func refused() async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        for answer: any Error in [CancellationError(), TestError(), KeychainError.userCanceled] as [any Error] {
            person.answer = answer
            #expect(await code { try await open().record(for: key) } == "store_locked", "\(answer)")
        }
        person.answer = nil
        #expect(try await open().record(for: key)?.content == Data("session".utf8))
    }

    @Test("The question ends when nobody waits for the key any more")
    func cancelled() async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        person.waits()
        let store = open()
        let reading = Task { try await store.record(for: key) }
        await person.isAsked()
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        await person.isDismissed()
        person.answer = nil
        #expect(try await store.record(for: key)?.content == Data("session".utf8))
    }

    @Test("A key that was kept without protection is moved under it, also by a process that was ended on the way")
    func moved() async throws {
        let plain = SealedTokenStore(base, storeID: "s", key: KeychainKey(keychain))
        try await plain.write(Data("session".utf8), for: key, replacing: 0)
        let kept = keychain.items
        #expect(try await open().record(for: key)?.content == Data("session".utf8))
        #expect(unguardedKey == nil && person.timesAsked == 0)
        // It was added, and not removed yet.
        keychain.items.merge(kept) { now, _ in now }
        #expect(try await open().record(for: key)?.content == Data("session".utf8))
        #expect(unguardedKey == nil && person.timesAsked == 1)
    }

    @Test("A key that the system has taken away is made anew: nobody is signed in, and a sign-in works")
    func takenAway() async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        _ = try await open().record(for: key)
        person.invalidate()
        let store = open()
        #expect(try await store.record(for: key)?.content == nil)
        let events = store.takeEvents()
        guard case .startedAnew? = events.first?.kind else { throw TestError() }
        #expect(events.count == 1)
        let told = events.map { ObservedEvent(.store($0)).description }
        #expect(told.allSatisfy { !$0.contains("another device") }, "\(told)")
        let generation = try await store.record(for: key)?.generation ?? 0
        try await store.write(Data("new".utf8), for: key, replacing: generation)
        #expect(try await open().record(for: key)?.content == Data("new".utf8))
    }

    @Test("Before the first unlock no key is gone", arguments: FakeKeychain.LockedAnswer.allCases)
    func locked(answer: FakeKeychain.LockedAnswer) async throws {
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        keychain.lock(answering: answer)
        #expect(await code { try await open().record(for: key) } == "store_locked")
        keychain.lock(answering: nil)
        #expect(try await open().record(for: key)?.content == Data("session".utf8))
    }

    @Test("The protection is read from the document, and written again")
    func document() throws {
        func store(_ key: String) throws -> StoreConfiguration {
            let text =
                #"{"store":{"type":"file","folder":"/s","key":\#(key)},"providers":[{"name":"n","type":"t","settings":{}}]}"#
            return try IdentityConfiguration(parsing: Data(text.utf8)).store
        }
        let guarded = StoreConfiguration.file(
            folder: "/s", key: .keychain(accessGroup: "G", protection: .userPresence))
        #expect(
            try store(#"{"home":"keychain","accessGroup":"G","protection":"userPresence"}"#) == guarded)
        #expect(try JSONDecoder().decode(StoreConfiguration.self, from: JSONEncoder().encode(guarded)) == guarded)
        #expect(try store(#"{"home":"keychain","protection":"none"}"#) == .file(folder: "/s", key: .keychain()))
        for wrong in [#"{"home":"keyFile","protection":"biometry"}"#, #"{"home":"keychain","protection":"retina"}"#] {
            let error = #expect(throws: ConfigurationError.self) { try store(wrong) }
            #expect(error?.message.contains("protection") == true, "\(error?.message ?? "")")
        }
    }

    #if !canImport(LocalAuthentication)
    @Test("Where nobody can be asked, neither a check nor a start accepts the protection")
    func unsupported() throws {
        let store = StoreConfiguration.file(folder: "/s", key: .keychain(protection: .biometry))
        for attempt in [{ try StoreRegistry().check(store) }, { _ = try store.open() }] {
            let error = #expect(throws: TokenStoreError.self) { try attempt() }
            #expect(error?.failureCode == "store_unsupported" && error?.failureClass == .definitive)
            #expect(error?.message.contains("protection") == true, "\(error?.message ?? "")")
        }
    }
    #endif
}

/// A person whom the system asks before it opens an item.
private final class AskedPerson: KeychainGuard {
    private let keychain: FakeKeychain
    private let guarded = Locked<[KeychainName: KeychainItem]>([:])
    private let state = Locked((timesAsked: 0, answer: (any Error)?.none, waits: false))
    private let (questions, asks) = AsyncStream.makeStream(of: Void.self)
    private let (dismissals, dismisses) = AsyncStream.makeStream(of: Void.self)

    init(_ keychain: FakeKeychain) { self.keychain = keychain }

    var timesAsked: Int { state.withLock { $0.timesAsked } }

    /// What goes wrong when the person is asked; `nil` for a person who opens the item.
    var answer: (any Error)? {
        get { state.withLock { $0.answer } }
        set { state.withLock { ($0.answer, $0.waits) = (newValue, false) } }
    }

    /// Says nothing until the question ends.
    func waits() { state.withLock { $0.waits = true } }
    func isAsked() async { for await _ in questions { return } }
    func isDismissed() async { for await _ in dismissals { return } }

    /// Enrols another finger: the system gives the items to nobody any more.
    func invalidate() { guarded.withLock { $0 = [:] } }

    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError) {
        // Its value is where nobody reads it without the person.
        try keychain.add(KeychainItem(tag: item.tag, value: Data()), as: name)
        guarded.withLock { $0[name] = item }
    }

    func item(_ name: KeychainName) async throws -> KeychainItem {
        let (answer, waits) = state.withLock { state in
            state.timesAsked += 1
            return (state.answer, state.waits)
        }
        if waits {
            asks.yield()
            // Ends with its task alone.
            for await _ in AsyncStream<Void>.makeStream().stream {}
            dismisses.yield()
            throw CancellationError()
        }
        if let answer { throw answer }
        _ = try keychain.item(name)
        guard let item = guarded.withLock({ $0[name] }) else { throw KeychainError.itemNotFound }
        return item
    }
}
