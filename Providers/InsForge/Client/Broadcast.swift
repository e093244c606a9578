import IdentityKit

/// Hands every event to every listener.
final class Broadcast<Event: Sendable>: Sendable {
    private struct State: Sendable {
        var nextID = 0
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let state = Locked(State())

    func send(_ event: Event) {
        // Yielded under the lock, so that no listener can get an older event after a newer one.
        state.withLock { state in
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    func stream() -> AsyncStream<Event> {
        AsyncStream { continuation in
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
