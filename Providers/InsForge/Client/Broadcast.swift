import IdentityKit

/// Hands every event to every listener, and the last one that says how things are first to whoever comes later.
final class Broadcast<Event: Sendable>: Sendable {
    private struct State: Sendable {
        var nextID = 0
        var latest: Event?
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
    }

    private let state = Locked(State())

    /// Hands `event` to everybody who listens now.
    /// - Parameter isState: whether it says how things are, so that whoever comes later gets it first.
    func send(_ event: Event, isState: Bool = false) {
        enqueue(event, isState: isState)
        deliver()
    }

    /// ``send(_:isState:)`` in two parts, for a caller who holds a lock: ``deliver()`` is due after it.
    func enqueue(_ event: Event, isState: Bool = false) {
        // Yielded under the lock, so that no listener can get an older event after a newer one.
        state.withLock { state in
            if isState { state.latest = event }
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    /// Hands out what was put in the queue.
    func deliver() {}

    func stream() -> AsyncStream<Event> {
        AsyncStream { continuation in
            let id = state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                if let latest = state.latest { continuation.yield(latest) }
                return state.nextID
            }
            continuation.onTermination = { [state] _ in
                _ = state.withLock { $0.listeners.removeValue(forKey: id) }
            }
        }
    }
}
