import Foundation
import IdentityKit

/// A clock that moves only by ``advance(by:)``, shared by a client and a local server, so that a token expires without
/// waiting. Sleeping tasks wake when the clock passes their time.
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

    /// Starts at `start`, rounded down to a whole second, which every wire format keeps.
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

    /// The clock as the framework's source of time.
    public var timeSource: TimeSource {
        TimeSource(now: { self.now }, sleep: { try await self.sleep(for: $0) })
    }

    /// The system's sleep with the dates of this clock, for tests that wait for another task.
    public var dates: TimeSource { dates { 0 } }

    /// The dates of a machine with a wrong clock, and the system's sleep.
    /// - Parameter offset: returns the seconds by which that clock is currently ahead of this one.
    package func dates(aheadBy offset: @escaping @Sendable () -> TimeInterval) -> TimeSource {
        TimeSource(now: { self.now + offset() }, sleep: { try await Task.sleep(for: $0) })
    }

    /// Moves the clock, and wakes the tasks whose time has come.
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
