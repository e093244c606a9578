/// Hands every change of a store to every listener in this process.
package final class ChangeBroadcast: Sendable {
    private struct State: Sendable {
        var nextID = 0
        var listeners: [Int: AsyncStream<StoreChange>.Continuation] = [:]
    }

    private let state = Locked(State())

    package init() {}

    package func send(_ change: StoreChange) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(change) }
    }

    package func stream() -> AsyncStream<StoreChange> {
        AsyncStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            let id = state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                return state.nextID
            }
            continuation.onTermination = { [state] _ in
                _ = state.withLock { $0.listeners.removeValue(forKey: id) }
            }
        }
    }
}
