import Foundation
import MemoryWait

extension ChangeNotice {
    /// Each task that waits for a word takes a thread, which sleeps in the kernel.
    private static let mostWaiters = 16

    /// Whether the system can wait for a word.
    static var canWait: Bool { memory_can_wait() }

    /// Suspends until the word is not `value` any more or ``wake(at:)`` is called, in whatever process, for `pause` at most.
    /// It may return earlier.
    /// - Returns: whether it has waited. Where the system cannot, or too many tasks do, it returns `false` at once.
    func waitForChange(at index: Int, from value: UInt64, atMost pause: Duration) async -> Bool {
        guard Self.canWait else { return false }
        let mayWait = waiterCount.withLock { count in
            guard count < Self.mostWaiters else { return false }
            count += 1
            return true
        }
        guard mayWait else { return false }
        // A task that is cancelled leaves at once, and its thread after the pause.
        let (woken, continuation) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread { [self] in
            withWord(at: index) { memory_wait($0, Self.firstHalf(of: value), pause.nanoseconds) }
            waiterCount.withLock { $0 -= 1 }
            continuation.finish()
        }
        for await _ in woken {}
        return true
    }

    /// Wakes all who wait for the word.
    func wake(at index: Int) {
        withWord(at: index) { memory_wake($0) }
    }

    /// The kernel compares 32 bits. Words are random numbers, so one half differs as the whole does.
    private static func firstHalf(of word: UInt64) -> UInt32 {
        withUnsafeBytes(of: word) { $0.load(as: UInt32.self) }
    }

    private func withWord(at index: Int, _ body: (UnsafePointer<UInt32>) -> Void) {
        // Not under the lock: the mapping lives as long as this object.
        let start = words.withLock { $0 }.start
        (start + index).withMemoryRebound(to: UInt32.self, capacity: 2, body)
    }
}

extension Duration {
    fileprivate var nanoseconds: UInt64 {
        let (seconds, attoseconds) = asPause.components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
