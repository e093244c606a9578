import Foundation
import IdentityKit

/// A clock that moves only by ``advance(by:)``. A client and a local server share it, so that a token expires without
/// waiting. A sleeping task wakes when the clock reaches the end of the task's sleep.
public final class ManualClock: Sendable {
    private struct State: Sendable {
        var now: Date
        var sleepers: [UUID: Sleeper] = [:]
    }

    private struct Sleeper: Sendable {
        let wakesAt: Date
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let state: Locked<State>

    /// Makes a clock that shows `start`, rounded down to a whole second, because some formats drop fractions of a second.
    public init(start: Date = Date()) {
        state = Locked(State(now: Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down))))
    }

    public var now: Date {
        state.withLock { $0.now }
    }

    /// The number of tasks that sleep on this clock.
    public var sleeperCount: Int {
        state.withLock { $0.sleepers.count }
    }

    /// The dates of this clock, and a sleep that ends only by ``advance(by:)`` or cancellation.
    public var timeSource: TimeSource {
        TimeSource(now: { self.now }, sleep: { try await self.sleep(for: $0) })
    }

    /// The dates of this clock with the system's sleep, for tests in which a sleep must end without ``advance(by:)``.
    public var dates: TimeSource { dates { 0 } }

    /// The dates of a machine with a wrong clock, and the system's sleep.
    /// - Parameter offset: returns the seconds by which that clock is currently ahead of this one.
    package func dates(aheadBy offset: @escaping @Sendable () -> TimeInterval) -> TimeSource {
        TimeSource(now: { self.now + offset() }, sleep: { try await Task.sleep(for: $0) })
    }

    /// Moves the clock forward by `duration`, and wakes the tasks that sleep until the new time or an earlier one.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration.timeInterval
            let due = state.sleepers.filter { $0.value.wakesAt <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private func sleep(for duration: Duration) async throws {
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isDue = state.withLock { state in
                    let wakesAt = state.now + duration.timeInterval
                    guard wakesAt > state.now, !Task.isCancelled else { return true }
                    state.sleepers[id] = Sleeper(wakesAt: wakesAt, continuation: continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
            try Task.checkCancellation()
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
