import Foundation
import IdentityKit

/// Lets servers start one after the other, and not while the process has many files open.
///
/// Swift Testing starts every test at once. A few hundred servers with their clients open more files than a process may,
/// and on Linux Foundation's `Process` crashes at about 1,350. So a start waits until others have stopped. Where none stops
/// for a second, one more start goes ahead: the tests that run may be waiting for it.
final class StartQueue: Sendable {
    static let shared = StartQueue(time: .system, hasRoom: { openFiles < mostOpenFiles })

    private static let interval = Duration.milliseconds(20)
    /// How many intervals make a second.
    private static let patience = 50

    private let time: TimeSource
    private let hasRoom: @Sendable () -> Bool
    /// Ends when the last start in the queue has had its turn.
    private let last = Locked<AsyncStream<Never>?>(nil)

    init(time: TimeSource, hasRoom: @escaping @Sendable () -> Bool) { (self.time, self.hasRoom) = (time, hasRoom) }

    /// Waits for a turn, runs `start`, and gives the turn to the next one.
    /// - Throws: `CancellationError`, or what `start` throws.
    func run<Server>(_ start: () async throws -> Server) async throws -> Server {
        let (turn, end) = AsyncStream<Never>.makeStream()
        let before = last.withLock { last in
            defer { last = turn }
            return last
        }
        if let before { for await _ in before {} }
        defer { end.finish() }
        for _ in 0..<Self.patience where !hasRoom() { try await time.sleep(for: Self.interval) }
        try Task.checkCancellation()
        return try await start()
    }

    /// How many files are open, roughly: the system gives the lowest number that is free.
    private static var openFiles: Int {
        let descriptor = dup(STDERR_FILENO)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0 ? Int(descriptor) : .max
    }

    /// Half of what the process may open, and half of the 1,024 that it usually may.
    private static let mostOpenFiles = min(512, sysconf(Int32(_SC_OPEN_MAX)) / 2)
}
