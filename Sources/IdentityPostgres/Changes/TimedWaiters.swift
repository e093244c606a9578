import IdentityKit

/// Those who wait for something to happen, each for a limited time.
final class TimedWaiters<Occasion: Hashable & Sendable>: Sendable {
    private struct State: Sendable {
        var nextNumber: UInt64 = 0
        var waiters: [Occasion: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        /// Those whose time was over before they waited.
        var late: Set<UInt64> = []
    }

    private let state = Locked(State())

    /// Suspends until ``wake(_:)``, for `pause` at most, or until the task is cancelled. It does not wait when `isOver`, which
    /// is asked with a lock held.
    func wait(for occasion: Occasion, atMost pause: Duration, unless isOver: () -> Bool) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let timer = Task { [weak self] in
            try await Task.sleep(for: pause)
            self?.wake(number, for: occasion)
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state.withLock { state in
                    guard state.late.remove(number) == nil, !isOver() else { return false }
                    state.waiters[occasion, default: [:]][number] = continuation
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            wake(number, for: occasion)
        }
        timer.cancel()
        state.withLock { _ = $0.late.remove(number) }
    }

    /// Wakes all who wait for `occasion`.
    func wake(_ occasion: Occasion) {
        let waiters = state.withLock { $0.waiters.removeValue(forKey: occasion) }
        for waiter in waiters ?? [:] { waiter.value.resume() }
    }

    private func wake(_ number: UInt64, for occasion: Occasion) {
        let waiter = state.withLock { state in
            let waiter = state.waiters[occasion]?.removeValue(forKey: number)
            if state.waiters[occasion]?.isEmpty == true { state.waiters[occasion] = nil }
            if waiter == nil { state.late.insert(number) }
            return waiter
        }
        waiter?.resume()
    }
}
