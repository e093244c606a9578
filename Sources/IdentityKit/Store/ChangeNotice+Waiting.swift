import Foundation
import CIdentitySystem

extension ChangeNotice {
    /// Limit of tasks that wait for a change of any word. Each of them takes a thread that sleeps in the kernel.
    private static let mostWaiters = 16

    /// Whether the system can suspend a thread until a word changes. Only Linux can.
    static var canWait: Bool { memory_can_wait() }

    /// Suspends until the word differs from `value` or any process calls ``wake(at:)``, for `pause` at most. The
    /// wait may end earlier.
    /// - Returns: whether the task has waited; `false` at once when the system cannot wait or start a thread, or too many
    ///   tasks wait already.
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
        // A cancelled task returns at once, but its thread sleeps until a wake or the end of the pause.
        for await _ in waiter.woken {}
        return true
    }

    func wake(at index: Int) {
        withWord(at: index) { memory_wake($0) }
    }

    /// The half of a word that the kernel compares, because the kernel compares only 32 bits. Words are random, so a change
    /// of a word almost always changes this half.
    private static func firstHalf(of word: UInt64) -> UInt32 {
        withUnsafeBytes(of: word) { $0.load(as: UInt32.self) }
    }

    private func withWord<Result>(at index: Int, _ body: (UnsafePointer<UInt32>) -> Result) -> Result {
        (words.start + index).withMemoryRebound(to: UInt32.self, capacity: 2, body)
    }

    /// A running wait, which keeps the mapped file alive until the thread of the wait has ended.
    private final class Waiter: Sendable {
        let woken: AsyncStream<Void>
        private let continuation: AsyncStream<Void>.Continuation
        private let notice: ChangeNotice

        /// Counts a new waiter; `nil` when ``mostWaiters`` tasks wait already.
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
