import Foundation
import IdentityKit
import Testing

/// A damaged record is an error, never an absence and never somebody else's session.
@Suite struct DamagedRecordTests {
    private let fixture: FileStoreFixture
    private let store: FileTokenStore
    private let content = Data("content of the record".utf8)

    init() throws {
        fixture = try FileStoreFixture()
        store = try fixture.open()
    }

    private func readCode() async -> String? {
        await FileStoreFixture.failureCode { try await store.record(for: fixture.key) }
    }

    private func overwrite(_ bytes: Data) throws {
        // In place, as a failing disk would.
        let handle = try FileHandle(forWritingTo: fixture.recordFile)
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: bytes)
        try handle.close()
    }

    @Test("Truncated to any length, a record is corrupt")
    func truncated() async throws {
        try await store.write(content, for: fixture.key, replacing: 0)
        let whole = try Data(contentsOf: fixture.recordFile)
        for length in 0..<whole.count {
            try overwrite(whole.prefix(length))
            #expect(await readCode() == "store_corrupt", "\(length) of \(whole.count) bytes")
        }
        try overwrite(whole + Data("x".utf8))
        #expect(await readCode() == "store_corrupt")
    }

    @Test("With any bit flipped, a record is corrupt or from the future")
    func flipped() async throws {
        try await store.write(content, for: fixture.key, replacing: 0)
        let whole = try Data(contentsOf: fixture.recordFile)
        for index in whole.indices {
            for bit in 0..<8 {
                var damaged = whole
                damaged[index] ^= 1 << bit
                try overwrite(damaged)
                let code = await readCode()
                #expect(code == "store_corrupt" || code == "store_too_new", "byte \(index), bit \(bit)")
            }
        }
    }

    @Test(
        "With a digest that fits, what is no record is corrupt all the same",
        arguments: [
            "", "{", "[]", "null", "{}", #"{"generation":1}"#, #"{"generation":0,"key":{"collection":"a","name":"b"}}"#,
            #"{"generation":-1,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"generation":"1","key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"content":"***","generation":1,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"content":7,"generation":1,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            // Numbers whose next one is none, or is the same one to some readers.
            #"{"generation":9223372036854775807,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"generation":18446744073709551615,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"generation":9007199254740993,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"generation":1e300,"key":{"collection":"accounts","name":"work/ada@example.org"}}"#,
            #"{"generation":1,"key":{"collection":"accounts","name":"work/bob"}}"#,
            #"{"generation":1,"key":{"collection":"device","name":"work/ada@example.org"}}"#,
        ])
    func notARecord(body: String) async throws {
        try await store.write(content, for: fixture.key, replacing: 0)
        try overwrite(FileStoreFixture.file(body: body))
        #expect(await readCode() == "store_corrupt")
        #expect(
            await FileStoreFixture.failureCode { try await store.write(nil, for: fixture.key, replacing: 1) }
                == "store_corrupt")
    }

    @Test("Of two records whose files were swapped, both are corrupt")
    func swapped() async throws {
        let other = StoreKey.account(AccountID(account: "bob", realm: "work"))
        for key in [fixture.key, other] { try await store.write(content, for: key, replacing: 0) }
        let (first, second) = (fixture.recordFile, fixture.file(of: other))
        let bytes = (try Data(contentsOf: first), try Data(contentsOf: second))
        try bytes.0.write(to: second)
        try bytes.1.write(to: first)
        for url in [first, second] { try FileStoreFixture.setMode(0o600, of: url) }
        #expect(await readCode() == "store_corrupt")
        let listing = try await store.records(in: .accounts)
        #expect(listing.records.isEmpty)
        #expect(listing.failures.map(\.failureCode) == ["store_corrupt", "store_corrupt"])
    }

    @Test("A damaged record does not hide the others")
    func contained() async throws {
        let healthy = StoreKey.account(AccountID(account: "bob", realm: "work"))
        for key in [fixture.key, healthy] { try await store.write(content, for: key, replacing: 0) }
        try overwrite(Data("garbage".utf8))
        let listing = try await store.records(in: .accounts)
        #expect(listing.records.map(\.key) == [healthy])
        #expect(listing.failures.map(\.failureCode) == ["store_corrupt"])
        #expect(try await store.page(of: .accounts, after: nil, limit: 2) == listing)
    }

    @Test("A record of a newer major version is read by nobody and overwritten by nobody")
    func newerMajor() async throws {
        try await store.write(content, for: fixture.key, replacing: 0)
        let newer = FileStoreFixture.file(version: "2.0", body: "whatever")
        try overwrite(newer)
        #expect(await readCode() == "store_too_new")
        #expect(
            await FileStoreFixture.failureCode { try await store.write(nil, for: fixture.key, replacing: 1) }
                == "store_too_new")
        #expect(
            await FileStoreFixture.failureCode { try await store.quarantine(fixture.key) } == "store_too_new")
        #expect(try Data(contentsOf: fixture.recordFile) == newer)
    }

    @Test("A record of a newer minor version is read, and what it added survives a write")
    func newerMinor() async throws {
        try await store.write(content, for: fixture.key, replacing: 0)
        let body =
            #"{"added":{"later":[1,2]},"generation":4,"key":{"collection":"accounts","name":"work\/ada@example.org"}}"#
        try overwrite(FileStoreFixture.file(version: "1.7", body: body))
        #expect(try await store.record(for: fixture.key)?.generation == 4)
        try await store.write(content, for: fixture.key, replacing: 4)
        let text = String(decoding: try Data(contentsOf: fixture.recordFile), as: UTF8.self)
        #expect(text.contains(#""added":{"later":[1,2]}"#))
    }

    @Test("A quarantined record is kept aside, and its place has a later generation than it ever had")
    func quarantine() async throws {
        for generation: UInt64 in 0..<5 { try await store.write(content, for: fixture.key, replacing: generation) }
        try overwrite(Data("garbage".utf8))
        try await store.quarantine(fixture.key)
        let record = try #require(try await store.record(for: fixture.key))
        #expect(record.content == nil)
        #expect(record.generation > 5)
        let folder = fixture.root.appendingPathComponent("quarantine")
        let kept = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(try kept.map { try Data(contentsOf: $0) } == [Data("garbage".utf8)])
        #expect(
            try await store.write(content, for: fixture.key, replacing: record.generation).generation
                == record.generation + 1)
    }

    @Test("A damaged record that cannot be replaced stays in its place, and is no record that was never written")
    func notReplaced() async throws {
        try await store.write(content, for: fixture.key, replacing: 0)
        try overwrite(Data("garbage".utf8))
        let drafts = fixture.root.appendingPathComponent("drafts")
        let quarantine = fixture.root.appendingPathComponent("quarantine").path
        try FileManager.default.removeItem(at: drafts)
        try Data().write(to: drafts)
        let code = await FileStoreFixture.failureCode { try await store.quarantine(fixture.key) }
        #expect(code == "store_not_writable")
        #expect(await readCode() == "store_corrupt")
        #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine) == [])
        try FileManager.default.removeItem(at: drafts)
        try FileManager.default.createDirectory(
            at: drafts, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try await store.quarantine(fixture.key)
        #expect(try await store.record(for: fixture.key)?.content == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: quarantine).count == 1)
    }

    @Test("Of an account that is erased nothing stays in quarantine, and of others everything does")
    func erased() async throws {
        let other = StoreKey.account(AccountID(account: "bob", realm: "work"))
        for key in [other, fixture.key, fixture.key] {
            let generation = try await store.record(for: key)?.generation ?? 0
            try await store.write(content, for: key, replacing: generation)
            try Data("garbage".utf8).write(to: fixture.file(of: key))
            try await store.quarantine(key)
        }
        try Data("garbage".utf8).write(to: fixture.recordFile)
        try await store.eraseAccount(AccountID(account: "ada@example.org", realm: "work"))
        #expect(try await store.record(for: fixture.key)?.content == nil)
        let folder = fixture.root.appendingPathComponent("quarantine")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
}
