/// Hands every change of a store to every listener in this process.
///
/// Only while somebody listens does it also look for the changes of others, with `watch`.
package final class ChangeFeed: Sendable {
    private struct State: Sendable {
        var listenerCount = 0
        /// One, or more when several listeners came first at once: each has to be told of all that follows its coming.
        var watchers: [Task<Void, Never>] = []
        /// The newest generation that was told, so that a watcher does not repeat what a writer here told already.
        var told: [StoreKey: UInt64] = [:]
    }

    private let state = Locked(State())
    private let broadcaster = Broadcaster<StoreChange>()
    private let watch: Watch?

    /// Notes how things are now, and returns what then runs until it is cancelled and calls ``send(_:)`` for what others
    /// change from now on.
    package typealias Watch = @Sendable () -> @Sendable () async -> Void

    package init(watch: Watch? = nil) {
        self.watch = watch
    }

    package func send(_ change: StoreChange) {
        state.withLock { state in
            guard state.listenerCount > 0, state.told[change.key] ?? 0 < change.generation else { return }
            state.told[change.key] = change.generation
            // Put in the queue under the lock, so that no listener gets an older generation after a newer one.
            broadcaster.enqueue(change)
        }
        broadcaster.deliver()
    }

    package func stream() -> AsyncStream<StoreChange> {
        let needsWatcher = state.withLock { state in
            state.listenerCount += 1
            return state.watchers.isEmpty
        }
        // Whoever listens keeps the feed alive, also when the store itself is let go of.
        let changes = broadcaster.stream(bufferingPolicy: .bufferingNewest(64)) { [self] in leave() }
        if needsWatcher { startWatching() }
        return changes
    }

    private func startWatching() {
        guard let look = watch?() else { return }
        let watcher = Task { await look() }
        let isWanted = state.withLock { state in
            if state.listenerCount > 0 { state.watchers.append(watcher) }
            return state.listenerCount > 0
        }
        if !isWanted { watcher.cancel() }
    }

    private func leave() {
        let watchers = state.withLock { state in
            state.listenerCount -= 1
            guard state.listenerCount == 0 else { return [Task<Void, Never>]() }
            defer { (state.watchers, state.told) = ([], [:]) }
            return state.watchers
        }
        for watcher in watchers { watcher.cancel() }
    }
}
