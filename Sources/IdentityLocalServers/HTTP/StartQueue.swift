import Foundation
import IdentityKit

/// Starts servers one after another, and delays each start for up to a second while the process has many files open.
///
/// Swift Testing starts all tests at once. A few hundred servers with their clients would exceed the limit of open
/// files. On Linux, `Process` of Foundation even crashes at about 1,350 open files. So a start waits until other servers
/// have stopped. After a second the start proceeds nevertheless, because running tests may be waiting for it.
final class StartQueue: Sendable {
    static let shared = StartQueue(time: .system, hasRoom: { openFiles < mostOpenFiles })

    private static let interval = Duration.milliseconds(20)
    /// The greatest number of intervals that a start waits, one second in all.
    private static let patience = 50

    private let time: TimeSource
    private let hasRoom: @Sendable () -> Bool
    /// A stream that ends when the latest queued start has ended; `nil` before the first start.
    private let last = Locked<AsyncStream<Never>?>(nil)

    init(time: TimeSource, hasRoom: @escaping @Sendable () -> Bool) { (self.time, self.hasRoom) = (time, hasRoom) }

    /// Waits until the earlier starts have ended, then up to a second until few enough files are open, and runs `start`.
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

    /// Roughly the number of open files: the system always assigns the lowest free descriptor.
    private static var openFiles: Int {
        let descriptor = dup(STDERR_FILENO)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0 ? Int(descriptor) : .max
    }

    /// A start waits while at least this number of files is open. The number is half of the process's limit, but at most 512,
    /// which is half of the usual limit.
    private static let mostOpenFiles = min(512, sysconf(Int32(_SC_OPEN_MAX)) / 2)
}
