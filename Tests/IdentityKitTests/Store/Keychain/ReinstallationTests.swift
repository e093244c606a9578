import Foundation
import IdentityKit
import TestSupport
import Testing

/// The app is deleted, which empties its user defaults and keeps the Keychain, and installed again.
@Suite struct ReinstallationTests {
    private let keychain = FakeKeychain()
    private let suite = "swift-identity-tests-\(UUID().uuidString)"
    private let key = StoreKey(.accounts, "work/ada")

    private func open(service: String = "test") -> KeychainTokenStore { KeychainTokenStore(keychain, service: service) }

    /// A start of the app.
    private func start(_ store: KeychainTokenStore) throws -> Bool {
        try store.beginAnewAfterReinstallation(markedIn: #require(UserDefaults(suiteName: suite)))
    }

    private func deleteApp() throws {
        try #require(UserDefaults(suiteName: suite)).removePersistentDomain(forName: suite)
    }

    private func session(in store: KeychainTokenStore) async throws -> Data? {
        try await store.record(for: key)?.content
    }

    @Test("A reinstalled app begins anew, once, and leaves what is not its own")
    func reinstalled() async throws {
        defer { try? deleteApp() }
        // A session of before this option stays.
        let other = open(service: "other")
        for store in [open(), other] { try await store.write(Data("session".utf8), for: key, replacing: 0) }
        for _ in 0..<2 {
            #expect(try !start(open()))
            #expect(try await session(in: open()) != nil)
        }
        try deleteApp()
        #expect(try await session(in: open()) != nil, "the Keychain outlives the app")
        #expect(try start(open()))
        #expect(try await session(in: open()) == nil)
        #expect(try await open().records(in: .accounts).records.isEmpty)
        #expect(try await session(in: other) != nil)
        // The new installation's own session stays.
        try await open().write(Data("new".utf8), for: key, replacing: 0)
        #expect(try !start(open()))
        #expect(try await session(in: open()) == Data("new".utf8))
    }

    @Test(
        "While the device is locked, when user defaults may look empty too, nothing is removed",
        arguments: FakeKeychain.LockedAnswer.allCases)
    func locked(answer: FakeKeychain.LockedAnswer) async throws {
        defer { try? deleteApp() }
        _ = try start(open())
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        try deleteApp()
        keychain.lock(answering: answer)
        #expect(throws: TokenStoreError.self) { try start(open()) }
        keychain.lock(answering: nil)
        #expect(try await session(in: open()) != nil)
        #expect(try start(open()))
        #expect(try await session(in: open()) == nil)
    }

    @Test("A device that is unlocked just now has its user defaults back before the Keychain answers")
    func unlocking() async throws {
        defer { try? deleteApp() }
        _ = try start(open())
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        let name = "swift-identity.installation.test"
        let mark = try #require(UserDefaults(suiteName: suite)?.data(forKey: name))
        try deleteApp()
        keychain.beforeNextItem { [suite] _ in UserDefaults(suiteName: suite)?.set(mark, forKey: name) }
        #expect(try !start(open()))
        #expect(try await session(in: open()) != nil)
    }

    @Test("A store outside the Keychain is left alone")
    func elsewhere() throws {
        let defaults = try #require(UserDefaults(suiteName: suite))
        #expect(try !StoreConfiguration.memory.beginAnewAfterReinstallation(markedIn: defaults))
    }

    @Test("What was interrupted is done at the next start")
    func interrupted() async throws {
        defer { try? deleteApp() }
        _ = try start(open())
        let later = StoreKey(.accounts, "work/bob")
        for key in [key, later] { try await open().write(Data("session".utf8), for: key, replacing: 0) }
        try deleteApp()
        let dying = KeychainTokenStore(DyingKeychain(base: keychain), service: "test")
        #expect(throws: TokenStoreError.self) { try start(dying) }
        #expect(try await open().records(in: .accounts).records.count == 1)
        #expect(try start(open()))
        #expect(try await open().records(in: .accounts).records.isEmpty)
    }

    @Test("A first start that ends once the mark is in the Keychain costs no session")
    func interruptedFirst() async throws {
        defer { try? deleteApp() }
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        let dying = KeychainTokenStore(DyingKeychain(base: keychain, endsAtMark: true), service: "test")
        #expect(throws: TokenStoreError.self) { try start(dying) }
        #expect(try !start(open()))
        #expect(try await session(in: open()) != nil)
    }

    #if os(Linux)
    @Test("First starts of an app and its extension that end at the mark cost no session", arguments: [false, true])
    func interruptedBoth(appEndsToo: Bool) async throws {
        defer { try? deleteApp() }
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        func dying() -> KeychainTokenStore {
            KeychainTokenStore(DyingKeychain(base: keychain, endsAtMark: true), service: "test")
        }
        let shared = try #require(SharedDefaults(suiteName: suite))
        shared.afterRead = { _ = try? start(appEndsToo ? dying() : open()) }
        #expect(throws: TokenStoreError.self) { try dying().beginAnewAfterReinstallation(markedIn: shared) }
        let wasRead = shared.afterRead == nil
        #expect(wasRead)
        #expect(try !start(open()))
        #expect(try await session(in: open()) != nil)
    }

    @Test("A start that reads the mark while another start completes it costs no session")
    func completedMeanwhile() async throws {
        defer { try? deleteApp() }
        try await open().write(Data("session".utf8), for: key, replacing: 0)
        let dying = KeychainTokenStore(DyingKeychain(base: keychain, endsAtMark: true), service: "test")
        #expect(throws: TokenStoreError.self) { try start(dying) }
        let mark = try keychain.item(KeychainName(service: "test.installation", account: "mark")).value
        let shared = try #require(SharedDefaults(suiteName: suite))
        shared.afterRead = { [suite] in
            let (defaults, name) = (UserDefaults(suiteName: suite), "swift-identity.installation.test")
            defaults?.set(mark, forKey: name)
            defaults?.removeObject(forKey: "\(name).\(String(decoding: mark, as: UTF8.self))")
        }
        #expect(try !open().beginAnewAfterReinstallation(markedIn: shared))
        #expect(try await session(in: open()) != nil)
    }
    #endif
}

#if os(Linux)
/// User defaults that another process writes to once they have been read. Only for Linux, because a subclass would have to
/// restate a conformance to `Sendable` that Apple's class may have.
private final class SharedDefaults: UserDefaults {
    var afterRead: (() -> Void)?

    override func data(forKey name: String) -> Data? {
        let data = super.data(forKey: name)
        afterRead?()
        afterRead = nil
        return data
    }
}
#endif

/// A Keychain that takes one deletion, or the mark, and no more.
private final class DyingKeychain: Keychain {
    private let base: FakeKeychain
    private let endsAtMark: Bool
    private let isDead = Locked(false)

    init(base: FakeKeychain, endsAtMark: Bool = false) { (self.base, self.endsAtMark) = (base, endsAtMark) }

    func item(_ name: KeychainName) throws(KeychainError) -> KeychainItem { try base.item(name) }

    func tags(ofService service: String) throws(KeychainError) -> [String: Data] { try base.tags(ofService: service) }

    func add(_ item: KeychainItem, as name: KeychainName) throws(KeychainError) {
        guard endsAtMark, name.account == "mark" else { return try base.add(item, as: name) }
        try? base.add(item, as: name)
        throw .notAvailable
    }

    func update(_ name: KeychainName, tagged tag: Data, to item: KeychainItem) throws(KeychainError) {
        try base.update(name, tagged: tag, to: item)
    }

    func delete(_ name: KeychainName, tagged tag: Data) throws(KeychainError) {
        guard !isDead.exchange(true) else { throw .notAvailable }
        try base.delete(name, tagged: tag)
    }
}
