import Foundation
import IdentityKit
import TestSupport
import Testing

@Suite struct FileTokenStoreTests {
    private let temporary: TemporaryFolder
    private let key = StoreKey.account(AccountID(account: "ada@example.org", realm: "work"))

    init() throws {
        temporary = try TemporaryFolder()
    }

    private var root: URL { temporary.file("store") }

    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    private func recordFile() throws -> URL {
        let folder = root.appendingPathComponent("accounts")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.appendingPathComponent(try #require(names.first { $0.hasSuffix(".json") }))
    }

    @Test("Folders are 0700, files 0600, also after a replacement, and no temporary file stays")
    func permissions() async throws {
        let store = try FileTokenStore(folder: root)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try await store.write(Data("b".utf8), for: key, replacing: 1)
        #expect(try mode(root) == 0o700)
        #expect(try mode(root.appendingPathComponent("accounts")) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("accounts").path) {
            #expect(try mode(root.appendingPathComponent("accounts/\(name)")) == 0o600)
            #expect(!name.hasSuffix(".tmp"))
            #expect(!name.contains("ada"))
        }
    }

    @Test("Two objects on one folder see each other's records and leases")
    func shared() async throws {
        let (first, second) = (try FileTokenStore(folder: root), try FileTokenStore(folder: root))
        try await first.write(Data("a".utf8), for: key, replacing: 0)
        #expect(try await second.record(for: key)?.content == Data("a".utf8))
        let lease = try await first.lease(for: key)
        #expect(try await second.lease(for: key) == nil)
        await lease?.release()
        #expect(try await second.lease(for: key) != nil)
    }

    @Test("A store others can open is refused")
    func openFolder() throws {
        try FileManager.default.createDirectory(
            at: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: root.path)
        let error = #expect(throws: TokenStoreError.self) { try FileTokenStore(folder: root) }
        #expect(error?.failureCode == "store_insecure")
    }

    @Test("A symbolic link in place of the folder or of a record is refused")
    func symbolicLinks() async throws {
        let real = temporary.file("real")
        let store = try FileTokenStore(folder: real)
        try FileManager.default.createSymbolicLink(at: root, withDestinationURL: real)
        #expect(throws: TokenStoreError.self) { try FileTokenStore(folder: root) }

        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let record = real.appendingPathComponent("accounts")
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: record.path).first { $0.hasSuffix(".json") })
        let file = record.appendingPathComponent(name)
        try FileManager.default.moveItem(at: file, to: temporary.file("elsewhere.json"))
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: temporary.file("elsewhere.json"))
        let error = await #expect(throws: TokenStoreError.self) { try await store.record(for: key) }
        #expect(error?.failureCode == "store_unreadable")
    }

    @Test("A folder that cannot be made is an error that names it")
    func notWritable() throws {
        let blocked = temporary.file("file")
        try Data().write(to: blocked)
        let folder = blocked.appendingPathComponent("store")
        let error = #expect(throws: TokenStoreError.self) { try FileTokenStore(folder: folder) }
        #expect(error?.failureCode == "store_not_writable")
        #expect(error?.message.contains(folder.path) == true)
    }

    @Test(
        "A damaged record is an error, never an absence",
        arguments: ["", "{", "[]", "null", "{\"format\":\"other\",\"version\":1}"])
    func damaged(text: String) async throws {
        let store = try FileTokenStore(folder: root)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try Data(text.utf8).write(to: recordFile())
        let error = await #expect(throws: TokenStoreError.self) { try await store.record(for: key) }
        #expect(error?.failureCode == "store_corrupt")
        await #expect(throws: TokenStoreError.self) { try await store.write(nil, for: key, replacing: 1) }
    }

    @Test("A truncated record is an error at every length")
    func truncated() async throws {
        let store = try FileTokenStore(folder: root)
        try await store.write(Data("content".utf8), for: key, replacing: 0)
        let file = try recordFile()
        let whole = try Data(contentsOf: file)
        for length in 0..<whole.count {
            try whole.prefix(length).write(to: file)
            await #expect(throws: TokenStoreError.self) { try await store.record(for: key) }
        }
    }

    @Test("A damaged record does not hide the others")
    func damageIsContained() async throws {
        let store = try FileTokenStore(folder: root)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        try Data("garbage".utf8).write(to: recordFile())
        let healthy = StoreKey.account(AccountID(account: "bob", realm: "work"))
        try await store.write(Data("b".utf8), for: healthy, replacing: 0)
        let listing = try await store.records(in: .accounts)
        #expect(listing.records.map(\.key) == [healthy])
        #expect(listing.failures.map(\.failureCode) == ["store_corrupt"])
    }

    @Test("A record copied over another one's file is noticed")
    func swapped() async throws {
        let store = try FileTokenStore(folder: root)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let original = try recordFile()
        let other = StoreKey.account(AccountID(account: "bob", realm: "work"))
        try await store.write(Data("b".utf8), for: other, replacing: 0)
        let folder = original.deletingLastPathComponent()
        let second = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder.path)
                .first { $0.hasSuffix(".json") && $0 != original.lastPathComponent })
        try Data(contentsOf: original).write(to: folder.appendingPathComponent(second))
        let failures = await [key, other].count { try await store.record(for: $0) }
        #expect(failures == 1)
    }

    @Test("A record of a newer format is left alone")
    func newerFormat() async throws {
        let store = try FileTokenStore(folder: root)
        try await store.write(Data("a".utf8), for: key, replacing: 0)
        let file = try recordFile()
        let newer = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            .replacingOccurrences(of: "\"version\":1", with: "\"version\":2")
        try Data(newer.utf8).write(to: file)
        let error = await #expect(throws: TokenStoreError.self) {
            try await store.write(nil, for: key, replacing: 1)
        }
        #expect(error?.failureCode == "store_too_new")
        #expect(String(decoding: try Data(contentsOf: file), as: UTF8.self) == newer)
    }
}

extension Array where Element: Sendable {
    /// How many elements `body` fails for.
    fileprivate func count(failing body: (Element) async throws -> some Sendable) async -> Int {
        var failures = 0
        for element in self {
            do { _ = try await body(element) } catch { failures += 1 }
        }
        return failures
    }
}
