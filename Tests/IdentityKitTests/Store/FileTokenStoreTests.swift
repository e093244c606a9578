import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@Suite struct FileTokenStoreTests {
    private let fixture: FileStoreFixture

    init() throws {
        fixture = try FileStoreFixture()
    }

    @Test("Folders are 0700, files 0600, whatever was there before, and no draft stays", arguments: [0o022, 0o077, 0])
    func permissions(mask: Int) async throws {
        let store = try fixture.open()
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        _ = try await store.lease(for: fixture.key)
        // What a process with this umask, or a careless copy, would have left.
        let files = try fixture.everything().filter { $0.pathExtension == "lease" }
        for file in files { try FileStoreFixture.setMode(0o666 & ~mask | 0o600, of: file) }
        try await store.write(Data("b".utf8), for: fixture.key, replacing: 1)
        for url in try fixture.everything() where !["lease"].contains(url.pathExtension) {
            #expect(try FileStoreFixture.mode(of: url) == (url.hasDirectoryPath ? 0o700 : 0o600), "\(url.path)")
            #expect(url.pathExtension != "draft")
            #expect(!url.lastPathComponent.contains("ada"))
        }
    }

    @Test("A folder others can open, write or own is refused", arguments: [0o755, 0o750, 0o770, 0o701, 0o777])
    func openFolder(mode: Int) async throws {
        let root = fixture.root
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        // An empty one is closed instead.
        try Data().write(to: root.appendingPathComponent("notes"))
        try FileStoreFixture.setMode(mode, of: root)
        let error = #expect(throws: TokenStoreError.self) { try fixture.open() }
        #expect(error?.failureCode == "store_insecure")
        #expect(error?.message.contains(root.path) == true)
    }

    @Test("A record others can read, or that is a link, a folder or a pipe, is refused")
    func insecureRecord() async throws {
        let store = try fixture.open()
        let (file, aside) = (fixture.recordFile, fixture.temporary.file("aside"))
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        let code = { await FileStoreFixture.failureCode { try await store.record(for: fixture.key) } }

        try FileStoreFixture.setMode(0o644, of: file)
        #expect(await code() == "store_insecure")
        try FileStoreFixture.setMode(0o600, of: file)
        #expect(await code() == nil)

        try FileManager.default.moveItem(at: file, to: aside)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: aside)
        #expect(await code() == "store_insecure")
        #expect(
            await FileStoreFixture.failureCode {
                try await store.write(nil, for: fixture.key, replacing: 1)
            } == "store_insecure")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        #expect(await code() == "store_insecure")
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(await code() == "store_insecure")
    }

    @Test("A symbolic link in place of one of the store's folders is refused")
    func linkedFolders() async throws {
        let store = try fixture.open()
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        let elsewhere = fixture.temporary.file("elsewhere")
        let folder = fixture.root.appendingPathComponent("locks")
        try FileManager.default.moveItem(at: folder, to: elsewhere)
        try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: elsewhere)
        let error = #expect(throws: TokenStoreError.self) { try fixture.open() }
        #expect(error?.failureCode == "store_insecure")
    }

    @Test("Nothing is written into a folder that took the place of the store or of one of its folders")
    func swappedFolders() async throws {
        let store = try fixture.open()
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        let elsewhere = fixture.temporary.file("elsewhere")
        for folder in [fixture.root.appendingPathComponent("accounts"), fixture.root] {
            try FileManager.default.moveItem(at: folder, to: elsewhere)
            try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: elsewhere)
            for attempt in [
                await FileStoreFixture.failureCode { try await store.write(nil, for: fixture.key, replacing: 1) },
                await FileStoreFixture.failureCode { try await store.lease(for: fixture.key) == nil },
            ] { #expect(attempt == "store_insecure") }
            try FileManager.default.removeItem(at: folder)
            try FileManager.default.moveItem(at: elsewhere, to: folder)
        }
        #expect(try await store.record(for: fixture.key)?.generation == 1)
    }

    @Test("A store that is gone, or whose disk is, is an error and not a signed-out user")
    func goneStore() async throws {
        let store = try fixture.open()
        let absent = StoreKey(.accounts, "work/nobody")
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        #expect(try await store.record(for: absent) == nil)
        let elsewhere = fixture.temporary.file("elsewhere")
        try FileManager.default.moveItem(at: fixture.root, to: elsewhere)
        for isEmptyFolder in [false, true] {
            if isEmptyFolder {
                try FileManager.default.createDirectory(at: fixture.root, withIntermediateDirectories: false)
                try FileStoreFixture.setMode(0o700, of: fixture.root)
            }
            for key in [fixture.key, absent] {
                #expect(
                    await FileStoreFixture.failureCode { try await store.record(for: key) } == "store_unreadable")
            }
            #expect(
                await FileStoreFixture.failureCode { try await store.records(in: .accounts) } == "store_unreadable")
            #expect(
                await FileStoreFixture.failureCode { try await store.write(nil, for: absent, replacing: 0) }
                    == "store_not_writable")
        }
        try FileManager.default.removeItem(at: fixture.root)
        try FileManager.default.moveItem(at: elsewhere, to: fixture.root)
        #expect(try await store.record(for: fixture.key)?.content == Data("a".utf8))
    }

    @Test("A collection that is not a folder is an error")
    func notACollection() async throws {
        let store = try fixture.open()
        try Data().write(to: fixture.root.appendingPathComponent("accounts"))
        #expect(
            await FileStoreFixture.failureCode { try await store.record(for: fixture.key) } == "store_unreadable")
        #expect(await FileStoreFixture.failureCode { try await store.records(in: .accounts) } == "store_unreadable")
    }

    @Test("A folder or a record of another user is refused", .enabled(if: geteuid() == 0, "only root can give away"))
    func otherOwner() async throws {
        let store = try fixture.open()
        try await store.write(Data("a".utf8), for: fixture.key, replacing: 0)
        #expect(chown(fixture.recordFile.path, 65534, 65534) == 0)
        #expect(
            await FileStoreFixture.failureCode { try await store.record(for: fixture.key) } == "store_insecure")
        #expect(chown(fixture.root.path, 65534, 65534) == 0)
        #expect(await FileStoreFixture.failureCode { try fixture.open() } == "store_insecure")
    }

    @Test("A folder that cannot be made is an error that names it")
    func notWritable() throws {
        let blocked = fixture.temporary.file("file")
        try Data().write(to: blocked)
        let folder = blocked.appendingPathComponent("store")
        let error = #expect(throws: TokenStoreError.self) {
            try FileTokenStore(folder: folder, protection: .allowUnencryptedStorage)
        }
        #expect(error?.failureCode == "store_not_writable")
        #expect(error?.message.contains(folder.path) == true)
    }

    @Test("A lock file that a cleaner removed is made anew, and excludes again")
    func removedLock() async throws {
        let store = try fixture.open()
        let lease = try await store.lease(for: fixture.key)
        for url in try fixture.everything() where url.path.contains("/locks/") {
            try FileManager.default.removeItem(at: url)
        }
        let second = try await store.lease(for: fixture.key)
        #expect(second != nil)
        #expect(try await store.lease(for: fixture.key) == nil)
        await lease?.release()
        await second?.release()
    }

    @Test("A removed notice is noticed, so no marker stands still for ever")
    func removedNotice() async throws {
        let (first, second) = (try fixture.open(), try fixture.open())
        try await first.write(nil, for: fixture.key, replacing: 0)
        try FileManager.default.removeItem(at: fixture.root.appendingPathComponent("notice"))
        let (here, there) = (first.marker(for: fixture.key), second.marker(for: fixture.key))
        let before = (here?.value, there?.value)
        try await second.write(nil, for: fixture.key, replacing: 1)
        #expect(here?.value != before.0)
        #expect(there?.value != before.1)
    }

    @Test("A lease with a deadline passes on when that is over, and its late result is refused")
    func expiredLease() async throws {
        let clock = ManualClock()
        let store = try fixture.open(leasing: .forAtMost(.seconds(45)), time: clock.dates)
        let suspended = try #require(try await store.lease(for: fixture.key))
        clock.advance(by: .seconds(44))
        #expect(try await store.lease(for: fixture.key) == nil)
        clock.advance(by: .seconds(2))
        let successor = try #require(try await store.lease(for: fixture.key))
        await #expect(throws: TokenStoreError.conflict(fixture.key, current: 0)) {
            try await suspended.write(Data("late".utf8), replacing: 0)
        }
        await suspended.release()
        #expect(try await store.lease(for: fixture.key) == nil)
        #expect(try await successor.write(Data("new".utf8), replacing: 0).generation == 1)
        await successor.release()
    }

    @Test("Whoever sets the clock on the wall moves no lease with a deadline")
    func clockSet() async throws {
        let (wall, boot) = (ManualClock(), Locked(Duration.seconds(1000)))
        let time = TimeSource(now: { wall.now }, uptime: { boot.withLock { $0 } }, sleep: { _ in })
        let store = try fixture.open(leasing: .forAtMost(.seconds(45)), time: time)
        let lease = try #require(try await store.lease(for: fixture.key))
        for seconds in [7200, -86_400] {
            wall.advance(by: .seconds(seconds))
            #expect(try await store.lease(for: fixture.key) == nil)
        }
        boot.withLock { $0 += .seconds(45) }
        let next = try await store.lease(for: fixture.key)
        #expect(next != nil)
        await lease.release()
        // The machine was started anew.
        boot.withLock { $0 = .seconds(20) }
        #expect(try await store.lease(for: fixture.key) != nil)
    }

    @Test("What killed writers left is swept once it is an hour old")
    func sweep() throws {
        _ = try fixture.open()
        let drafts = fixture.root.appendingPathComponent("drafts")
        let (old, young) = (drafts.appendingPathComponent("o.draft"), drafts.appendingPathComponent("y.draft"))
        for draft in [old, young] { try Data().write(to: draft) }
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3700)], ofItemAtPath: old.path)
        _ = try fixture.open()
        #expect(!FileManager.default.fileExists(atPath: old.path))
        #expect(FileManager.default.fileExists(atPath: young.path))
    }
}
