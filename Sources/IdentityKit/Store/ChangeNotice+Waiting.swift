import Foundation
import CIdentitySystem

extension ChangeNotice {
    /// Each task that waits for a word takes a thread, which sleeps in the kernel.
    private static let mostWaiters = 16

    /// Whether the system can wait for a word.
    static var canWait: Bool { memory_can_wait() }

    /// Suspends until the word is not `value` any more or ``wake(at:)`` is called, in whatever process, for `pause` at most.
    /// It may return earlier.
    /// - Returns: whether it has waited. Where the system cannot, or too many tasks do, it returns `false` at once.
    func waitForChange(at index: Int, from value: UInt64, atMost pause: Duration) async -> Bool {
        guard let waiter = Waiter(for: self) else { return false }
        let context = Unmanaged.passRetained(waiter)
        let isWaiting = withWord(at: index) { word in
            memory_await(
                word, Self.firstHalf(of: value), pause.nanoseconds,
                { $0.map { Unmanaged<Waiter>.fromOpaque($0).takeRetainedValue().finish() } }, context.toOpaque())
        }
        guard isWaiting else {
            context.takeRetainedValue().finish()
            return false
        }
        // A task that is cancelled leaves at once, and its thread after the pause.
        for await _ in waiter.woken {}
        return true
    }

    func wake(at index: Int) {
        withWord(at: index) { memory_wake($0) }
    }

    /// The kernel compares 32 bits. Words are random numbers, so one half differs as the whole does.
    private static func firstHalf(of word: UInt64) -> UInt32 {
        withUnsafeBytes(of: word) { $0.load(as: UInt32.self) }
    }

    private func withWord<Result>(at index: Int, _ body: (UnsafePointer<UInt32>) -> Result) -> Result {
        (words.start + index).withMemoryRebound(to: UInt32.self, capacity: 2, body)
    }

    /// A wait, which keeps the mapping until its thread is done with it.
    private final class Waiter: Sendable {
        let woken: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        private let notice: ChangeNotice

        /// `nil` when too many tasks wait.
        init?(for notice: ChangeNotice) {
            let mayWait = notice.waiterCount.withLock { count in
                guard count < ChangeNotice.mostWaiters else { return false }
                count += 1
                return true
            }
            guard mayWait else { return nil }
            self.notice = notice
            (woken, continuation) = AsyncStream.makeStream(of: Void.self)
        }

        func finish() {
            notice.waiterCount.withLock { $0 -= 1 }
            continuation.finish()
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = asPause.components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
