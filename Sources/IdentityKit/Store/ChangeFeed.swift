/// Sends every change of a store to every listener in this process.
///
/// While it has listeners it also watches for the changes of other processes.
package final class ChangeFeed: Sendable {
    private struct State: Sendable {
        var listenerCount = 0
        /// One, or more when several first listeners came at once: each receives all changes from then on.
        var watchers: [Task<Void, Never>] = []
        /// The newest generation that was sent, so that a watcher does not repeat what a writer here has sent.
        var told: [StoreKey: UInt64] = [:]
    }

    private let state = Locked(State())
    private let broadcaster = Broadcaster<StoreChange>()
    private let watch: Watch?

    /// Notes the current state, and returns a function that runs until it is cancelled and calls `tell` for each change of
    /// another process since then.
    package typealias Watch = @Sendable () -> @Sendable (_ tell: @escaping Tell) async -> Void
    package typealias Tell = @Sendable (StoreChange) -> Void

    package init(watch: Watch? = nil) {
        self.watch = watch
    }

    package func send(_ change: StoreChange) {
        state.withLock { state in
            guard state.listenerCount > 0, state.told[change.key] ?? 0 < change.generation else { return }
            state.told[change.key] = change.generation
            // Queued under the lock, so that no listener receives an older generation after a newer one.
            broadcaster.enqueue(change)
        }
        broadcaster.deliver()
    }

    package func stream() -> AsyncStream<StoreChange> {
        let needsWatcher = state.withLock { state in
            state.listenerCount += 1
            return state.watchers.isEmpty
        }
        // A listener keeps the feed alive, also after the store is released.
        let changes = broadcaster.stream(bufferingPolicy: .bufferingNewest(64)) { [self] in leave() }
        if needsWatcher { startWatching() }
        return changes
    }

    private func startWatching() {
        guard let look = watch?() else { return }
        let tell: Tell = { [weak self] in self?.send($0) }
        let watcher = Task { await look(tell) }
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
