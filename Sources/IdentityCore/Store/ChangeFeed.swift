/// Sends the changes of a store to listeners in this process. Each listener receives the changes of one collection or of all.
///
/// While the feed has listeners, it also watches for changes that other processes make in the listeners' collections.
package final class ChangeFeed: Sendable {
    private struct State: Sendable {
        /// The number of listeners of each collection. The key `nil` counts the listeners to all collections.
        var listenerCounts: [StoreKey.Collection?: Int] = [:]
        /// The tasks that watch for changes of other processes. Normally there is one task, but there are more when several
        /// callers of ``stream(of:)`` find no task at the same time. Each task sends all changes since its own start.
        var watchers: [Task<Void, Never>] = []
        /// The newest generation sent for each record. With it, a watcher does not repeat a change that this process
        /// has written and sent.
        var sent: [StoreKey: UInt64] = [:]

        func isListenedTo(_ collection: StoreKey.Collection) -> Bool {
            listenerCounts[nil] != nil || listenerCounts[collection] != nil
        }
    }

    private let state = Locked(State())
    private let broadcaster = Broadcaster<StoreChange>()
    private let watch: Watch?

    /// Records the current state of the store, and returns a function that sends every later change of another process to the
    /// feed. The function runs until its task is cancelled.
    package typealias Watch = @Sendable (ChangeFeed) -> @Sendable () async -> Void

    package init(watch: Watch? = nil) {
        self.watch = watch
    }

    /// The collections that have listeners; `nil` when anybody listens to all collections.
    package var collections: Set<StoreKey.Collection>? {
        state.withLock { state in
            state.listenerCounts[nil] == nil ? Set(state.listenerCounts.keys.compactMap(\.self)) : nil
        }
    }

    package func send(_ change: StoreChange) {
        state.withLock { state in
            guard state.isListenedTo(change.key.collection), state.sent[change.key] ?? 0 < change.generation else {
                return
            }
            state.sent[change.key] = change.generation
            // Queued under the lock, so that no listener receives an older generation after a newer one.
            broadcaster.enqueue(change)
        }
        broadcaster.deliver()
    }

    /// Forgets which generations were sent, because changes may have been missed. A record that was removed and written again
    /// begins with the first generation, which would otherwise count as already sent. Listeners to accounts receive a change of
    /// the account with the empty name, which stands for all accounts.
    package func forgetGenerations() {
        state.withLock { $0.sent = [:] }
        send(StoreChange(key: StoreKey(.accounts, ""), generation: 1, hasContent: false))
    }

    /// Returns the changes from now on. A slow listener receives only the newest 16,384 of them. The limit exceeds the number
    /// of changes that a watcher usually finds at once. With a lower limit, many changes of other accounts could replace the
    /// only change of the account that a listener waits for.
    /// - Parameter collection: the collection whose changes to send; `nil` for all collections.
    package func stream(of collection: StoreKey.Collection? = nil) -> AsyncStream<StoreChange> {
        let needsWatcher = state.withLock { state in
            state.listenerCounts[collection, default: 0] += 1
            return state.watchers.isEmpty
        }
        let changes = broadcaster.stream(
            of: { change in collection == nil || change.key.collection == collection ? change : nil },
            bufferingPolicy: .bufferingNewest(16_384),
            // The closure captures the feed, so that a listener keeps it alive after the store is released.
            onTermination: { [self] in leave(collection) })
        if needsWatcher { startWatching() }
        return changes
    }

    private func startWatching() {
        guard let look = watch?(self) else { return }
        let watcher = Task { await look() }
        let isWanted = state.withLock { state in
            if !state.listenerCounts.isEmpty { state.watchers.append(watcher) }
            return !state.listenerCounts.isEmpty
        }
        if !isWanted { watcher.cancel() }
    }

    private func leave(_ collection: StoreKey.Collection?) {
        let watchers = state.withLock { state in
            let count = state.listenerCounts[collection] ?? 0
            state.listenerCounts[collection] = count > 1 ? count - 1 : nil
            guard state.listenerCounts.isEmpty else { return [Task<Void, Never>]() }
            defer { (state.watchers, state.sent) = ([], [:]) }
            return state.watchers
        }
        for watcher in watchers { watcher.cancel() }
    }
}
