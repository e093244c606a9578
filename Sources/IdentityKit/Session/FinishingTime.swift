import Dispatch
import Foundation

/// Gives a process time to finish before the system suspends it. `ProcessInfo` does this on iOS and similar systems,
/// also in extensions.
package protocol ExpiringActivities: Sendable {
    /// Calls `block` on another thread. `block(false)` means that the process may run until this call of `block` returns.
    /// `block(true)` means that the process gets no time or is about to be suspended. `block(true)` may be called while
    /// `block(false)` still runs.
    func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void)
}

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
extension ProcessInfo: ExpiringActivities {}
#endif

/// Background time for the running refreshes. They share one request to the system, because each request occupies a
/// thread.
final class FinishingTime: Sendable {
    private enum Phase { case none, asked, given, over }

    private struct State: Sendable {
        var users = 0
        var phase = Phase.none
        /// Number of the latest request for time.
        var number = 0
        /// Semaphore on which the block that was passed to the system waits. When it is signaled, the block returns.
        var end: DispatchSemaphore?
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waiters = [] }
            return waiters
        }
    }

    private let activities: any ExpiringActivities
    private let state = Locked(State())

    init(_ activities: any ExpiringActivities) { self.activities = activities }

    /// The object that requests time from this system; `nil` on systems that do not suspend processes.
    static var ofThisSystem: (any ExpiringActivities)? {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        ProcessInfo.processInfo
        #else
        nil
        #endif
    }

    /// Whether the system has refused time, or has announced that the process will be suspended.
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Adds a running refresh, and requests time unless a request is pending or was granted. Call ``leave()`` when the
    /// refresh ends.
    func enter() {
        let asked = state.withLock { state -> (number: Int, end: DispatchSemaphore)? in
            state.users += 1
            guard state.phase == .none || state.phase == .over else { return nil }
            let end = DispatchSemaphore(value: 0)
            (state.phase, state.number, state.end) = (.asked, state.number + 1, end)
            return (state.number, end)
        }
        guard let (number, end) = asked else { return }
        activities.performExpiringActivity(withReason: "The refresh of a sign-in") { [weak self] isExpired in
            self?.answer(isExpired ? .over : .given, to: number)
            if isExpired { end.signal() } else { end.wait() }
        }
    }

    /// Waits for the system's answer to a pending request.
    /// - Returns: whether there is time.
    func isGiven() async -> Bool {
        await withCheckedContinuation { waiter in
            let waits = state.withLock { state in
                if state.phase == .asked { state.waiters.append(waiter) }
                return state.phase == .asked
            }
            if !waits { waiter.resume() }
        }
        return state.withLock { $0.phase == .given }
    }

    private func answer(_ phase: Phase, to number: Int) {
        let waiters = state.withLock { state in
            // Ignore the answer to a request that was given up or superseded.
            guard state.number == number, state.phase != .none else { return [CheckedContinuation<Void, Never>]() }
            state.phase = phase
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Removes a refresh that has ended. After the last one, the process may be suspended.
    func leave() {
        let (end, waiters) = state.withLock { state in
            state.users -= 1
            guard state.users == 0 else { return (nil, []) as (DispatchSemaphore?, [CheckedContinuation<Void, Never>]) }
            state.phase = .none
            return (state.end.take(), state.takeWaiters())
        }
        end?.signal()
        for waiter in waiters { waiter.resume() }
    }
}
