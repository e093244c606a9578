import Foundation
import TestSupport
import Testing

@testable import IdentityKit

/// What is left in a store's folder by writers that were killed.
@Suite struct DraftTests {
    private let folder: TemporaryFolder
    private var drafts: URL { folder.file("store/drafts") }

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> FileTokenStore {
        try FileTokenStore(folder: folder.file("store"), protection: .allowUnencryptedStorage)
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: drafts.path) }

    @Test("The draft of a writer that is gone goes with the next opening, and that of one at work stays")
    func sweep() async throws {
        let store = try open()
        let key = StoreKey(.accounts, "work/ada")
        let lease = try #require(try await store.lease(for: key))
        let living = try names()
        #expect(living.count == 1)
        // A killed writer leaves the same without its lock.
        let left = try #require(living.first?.replacingOccurrences(of: "-", with: "0"))
        try Data("half".utf8).write(to: drafts.appendingPathComponent(left))
        let again = try open()
        #expect(try names() == living)
        // It was not touched: the lease writes into it.
        try await lease.write(Data("whole".utf8), replacing: 0)
        #expect(try await again.record(for: key)?.content == Data("whole".utf8))
        await lease.release()
        #expect(try names() == [])
    }

    @Test("A file that was moved to its place counts, also when its folder was not flushed")
    func unflushed() throws {
        let (place, content) = (folder.file("record").path, Data("new".utf8))
        let failure = SystemCallError(errorNumber: EIO)
        let unflushed = try TemporaryFile(in: folder.url.path).replace(place, with: content) {
            if $0 == .renamed { throw failure }
        }
        #expect(unflushed?.errorNumber == EIO)
        #expect(try PrivateFile.read(place) == content)
        #expect(try TemporaryFile(in: folder.url.path).replace(place, with: content) == nil)
        let newer = Data("newer".utf8)
        #expect(throws: SystemCallError.self) {
            try TemporaryFile(in: folder.url.path).replace(place, with: newer) {
                if $0 == .renamed {
                    unlink(place)
                    throw failure
                }
            }
        }
        #expect(throws: SystemCallError.self) {
            try TemporaryFile(in: folder.url.path).replace(place, with: newer) { _ in throw failure }
        }
    }

    @Test("A file system without a full flush gets the plain one, and an error of the device stays an error")
    func plainFlush() {
        func flush(failingWith number: Int32) -> Int32 {
            TemporaryFile.flush(
                {
                    errno = number
                    return -1
                }, orIfUnsupported: { 0 })
        }
        #expect([ENOTSUP, ENOTTY, EINVAL].map(flush(failingWith:)) == [0, 0, 0])
        #expect(flush(failingWith: EIO) == -1)
        #expect(TemporaryFile.flush({ 0 }, orIfUnsupported: { -1 }) == 0)
    }

    @Test("A file that a locked device keeps closed makes the store locked, not unreadable")
    func lockedDevice() {
        let (closed, foreign) = (SystemCallError(errorNumber: EPERM), SystemCallError(errorNumber: EACCES))
        #expect(closed.lockedDevice(hasDataProtection: true)?.failureCode == "store_locked")
        #expect(closed.lockedDevice(hasDataProtection: true)?.failureClass == .transient)
        #expect(closed.lockedDevice(hasDataProtection: false) == nil)
        #expect(foreign.lockedDevice(hasDataProtection: true) == nil)
    }

    @Test("Drafts that are made while others tidy up are never lost")
    func race() async throws {
        let store = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for generation in UInt64(0)..<40 {
                        let key = StoreKey(.accounts, "work/\(number)")
                        try await store.write(Data("x".utf8), for: key, replacing: generation)
                    }
                }
            }
            for _ in 0..<4 {
                group.addTask { for _ in 0..<60 { _ = try open() } }
            }
            try await group.waitForAll()
        }
        #expect(try names() == [])
    }
}
