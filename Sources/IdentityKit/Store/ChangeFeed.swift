import Foundation

/// Hands every change of a store to every listener in this process.
///
/// Only while somebody listens does it also look for the changes of others, with `watch`.
package final class ChangeFeed: Sendable {
    private struct State: Sendable {
        var nextID = 0
        var listeners: [Int: AsyncStream<StoreChange>.Continuation] = [:]
        var watcher: Task<Void, Never>?
        /// The newest generation that was told, so that a watcher does not repeat what a writer here told already.
        var told: [StoreKey: UInt64] = [:]
    }

    private let state = Locked(State())
    private let watch: Watch?

    /// Notes how things are now, and returns what then runs until it is cancelled and calls ``send(_:)`` for what others
    /// change from now on.
    package typealias Watch = @Sendable () -> @Sendable () async -> Void

    package init(watch: Watch? = nil) {
        self.watch = watch
    }

    deinit {
        state.withLock { $0.watcher }?.cancel()
    }

    package func send(_ change: StoreChange) {
        // Yielded under the lock, so that no listener can get an older generation after a newer one.
        state.withLock { state in
            guard !state.listeners.isEmpty, state.told[change.key] ?? 0 < change.generation else { return }
            state.told[change.key] = change.generation
            for listener in state.listeners.values { listener.yield(change) }
        }
    }

    package func stream() -> AsyncStream<StoreChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let id = state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                if state.watcher == nil, let look = watch?() { state.watcher = Task { await look() } }
                return state.nextID
            }
            // Whoever listens keeps the feed alive, also when the store itself is let go of.
            continuation.onTermination = { [self] _ in
                // Let go of outside the lock: the end of the last reference comes here once more.
                let (listener, watcher) = state.withLock { state in
                    let listener = state.listeners.removeValue(forKey: id)
                    guard state.listeners.isEmpty else { return (listener, Task<Void, Never>?.none) }
                    defer { (state.watcher, state.told) = (nil, [:]) }
                    return (listener, state.watcher)
                }
                watcher?.cancel()
                _ = listener
            }
        }
    }
}
