import Foundation
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityKit

/// Waiting for a word that another process changes.
@Suite(.endsInTime, .enabled(if: ChangeNotice.canWait)) struct ChangeNoticeTests {
    private let temporary: TemporaryFolder
    private let path: String
    /// Longer than the test may take: what ends before has been woken.
    private static let pause = Patience.limit * 2

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary.file("notice").path
    }

    @Test("A change by another mapping of the file wakes those who wait")
    func change() async throws {
        let (here, there) = (try ChangeNotice(path: path), try ChangeNotice(path: path))
        let word = here.word(at: 7)
        let waiting = (0..<16).map { _ in
            Task { await here.waitForChange(at: 7, from: word, atMost: Self.pause) }
        }
        // One that begins after the change needs no waking.
        while try sleepers(at: 7, of: here) < 16 { await Task.yield() }
        there.changing(at: 7) {}
        for task in waiting { #expect(await task.value) }
        #expect(here.word(at: 7) != word)
    }

    /// How many threads of this process the kernel has put to sleep until a word changes.
    private func sleepers(at index: Int, of notice: ChangeNotice) throws -> Int {
        let address = "0x" + String(UInt(bitPattern: notice.words.start + index), radix: 16)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
            // The system call and its arguments; a thread that has ended meanwhile has none.
            let call = try? String(contentsOfFile: "/proc/self/task/\(thread)/syscall", encoding: .utf8)
            return call?.split(separator: " ").dropFirst().first.map(String.init) == address
        }
    }

    @Test("A word that has changed already is not waited for")
    func changedBefore() async throws {
        let notice = try ChangeNotice(path: path)
        let word = notice.word(at: 7)
        notice.changing(at: 7) {}
        #expect(await notice.waitForChange(at: 7, from: word, atMost: Self.pause))
    }

    @Test("A task that is cancelled leaves at once, and one beyond the limit does not wait")
    func limits() async throws {
        let notice = try ChangeNotice(path: path)
        let word = notice.word(at: 7)
        let waiting = (0..<16).map { _ in
            Task { await notice.waitForChange(at: 7, from: word, atMost: Self.pause) }
        }
        while notice.waiterCount.withLock({ $0 }) < 16 { await Task.yield() }
        #expect(await notice.waitForChange(at: 7, from: word, atMost: Self.pause) == false)
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await task.value) }
        // Their threads wait on until they are woken, and then make room.
        while notice.waiterCount.withLock({ $0 }) > 0 {
            notice.wake(at: 7)
            await Task.yield()
        }
    }

    @Test("Watching and releasing put no file into a folder that is being removed")
    func removedFolder() async throws {
        let fixture = try FileStoreFixture()
        let store = try fixture.open()
        try await store.write(Data("1".utf8), for: fixture.key, replacing: 0)
        let lease = try #require(try await store.lease(for: fixture.key))
        let notice = fixture.root.appendingPathComponent("notice")
        try FileManager.default.removeItem(at: notice)
        let changes = store.changes(in: nil)
        await lease.release()
        #expect(!FileManager.default.fileExists(atPath: notice.path))
        withExtendedLifetime(changes) {}
        // A writer makes it again, and is seen.
        let marker = try #require(store.marker(for: fixture.key))
        let value = marker.value
        try await store.write(Data("2".utf8), for: fixture.key, replacing: 1)
        #expect(marker.value != value)
    }

    @Test("A change that cannot be read at first is told later")
    func unreadable() async throws {
        let (fixture, clock) = (try FileStoreFixture(), ManualClock())
        let store = try fixture.open(time: clock.timeSource)
        var changes = store.changes(in: .accounts).makeAsyncIterator()
        try await fixture.open().write(Data("1".utf8), for: fixture.key, replacing: 0)
        let (folder, aside) = (fixture.recordFile.deletingLastPathComponent(), fixture.temporary.file("aside"))
        try FileManager.default.moveItem(at: folder, to: aside)
        try Data().write(to: folder)
        while clock.sleeperCount == 0 { await Task.yield() }
        clock.advance(by: .seconds(1))
        // The watcher sleeps again once it has looked.
        while clock.sleeperCount == 0 { await Task.yield() }
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.moveItem(at: aside, to: folder)
        clock.advance(by: .seconds(1))
        #expect(await changes.next()?.generation == 1)
    }

    @Test("A lease that is released wakes those who wait for it")
    func release() async throws {
        let fixture = try FileStoreFixture()
        let store = try fixture.open()
        try await store.write(Data("1".utf8), for: fixture.key, replacing: 0)
        let lease = try #require(try await store.lease(for: fixture.key))
        let marker = try #require(try fixture.open().marker(for: fixture.key) as? any AwaitableStoreVersion)
        let value = marker.value
        let waiting = Task { await marker.change(from: value, atMost: Self.pause) }
        // Again and again, because the release may come before the wait.
        await lease.release()
        let waking = Task {
            while !Task.isCancelled {
                await lease.release()
                await Task.yield()
            }
        }
        #expect(await waiting.value)
        waking.cancel()
        #expect(marker.value == value)
    }
}
