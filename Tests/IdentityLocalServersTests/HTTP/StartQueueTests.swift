import Foundation
import IdentityKit
import IdentityTesting
import TestSupport
import Testing

@testable import IdentityLocalServers

/// Servers that start when many files are open.
@Suite(.endsInTime) struct StartQueueTests {
    private let clock = ManualClock()
    private let hasRoom = Locked(false)

    private func queue() -> StartQueue {
        StartQueue(time: clock.timeSource, hasRoom: { [hasRoom] in hasRoom.withLock { $0 } })
    }

    @Test("A start waits for room, and the next one for it")
    func order() async throws {
        let queue = queue()
        let started = Locked<[Int]>([])
        let first = Task { try await queue.run { started.withLock { $0.append(1) } } }
        while clock.sleeperCount == 0 { await Task.yield() }
        let second = Task { try await queue.run { started.withLock { $0.append(2) } } }
        #expect(started.withLock { $0 }.isEmpty)
        hasRoom.withLock { $0 = true }
        clock.advance(by: .milliseconds(20))
        try await first.value
        try await second.value
        #expect(started.withLock { $0 } == [1, 2])
    }

    @Test("Tests that wait for each other's servers do not wait forever: one start goes ahead after a second")
    func patience() async throws {
        let queue = queue()
        let start = Task { try await queue.run { "started" } }
        for _ in 0..<50 {
            while clock.sleeperCount == 0 { await Task.yield() }
            clock.advance(by: .milliseconds(20))
        }
        #expect(try await start.value == "started")
    }

    @Test("A start that is cancelled ends, and lets the next one go")
    func cancelled() async throws {
        let queue = queue()
        let start = Task { try await queue.run { Issue.record("It started.") } }
        while clock.sleeperCount == 0 { await Task.yield() }
        start.cancel()
        await #expect(throws: CancellationError.self) { try await start.value }
        hasRoom.withLock { $0 = true }
        #expect(try await queue.run { "next" } == "next")
    }

    @Test("The tests of this package are limited, however they are started")
    func limited() {
        #expect(ProcessInfo.processInfo.environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] != nil)
    }
}
