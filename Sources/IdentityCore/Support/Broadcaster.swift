/// Delivers events to all listeners, in the order of sending. A slow listener loses events if its buffering policy limits the
/// number of events that wait for it.
///
/// When a listener's task is cancelled, the runtime calls the termination handler of the listener's stream while
/// holding its own locks. Yielding to the stream takes the same locks. To avoid a deadlock, nothing is yielded,
/// finished or released under the lock of a broadcaster: events are queued with their listeners, and one caller at a
/// time empties the queue.
package final class Broadcaster<Event: Sendable>: Sendable {
    private struct Listener: Sendable {
        let yield: @Sendable (Event) -> Void
        let finish: @Sendable () -> Void
    }

    private struct Delivery: Sendable {
        /// The event to deliver; `nil` ends the streams.
        let event: Event?
        let listeners: [Listener]
    }

    private struct State: Sendable {
        var nextID = 0
        var listeners: [Int: Listener] = [:]
        /// The last event that was sent as a state. A new listener receives it first.
        var latest: Event?
        var queue: [Delivery] = []
        var isDelivering = false
        var isFinished = false
    }

    private let state = Locked(State())

    package init() {}

    package var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.queue.append(Delivery(event: nil, listeners: Array(state.listeners.values)))
        }
        deliver()
    }

    /// Delivers `event` to all current listeners, unless the broadcaster is finished.
    /// - Parameter isState: whether to keep the event as the latest state. A new listener first receives the latest
    ///   state.
    package func send(_ event: Event, isState: Bool = false) {
        enqueue(event, isState: isState)
        deliver()
    }

    /// Queues `event` as ``send(_:isState:)`` does, for a caller that holds a lock. Call ``deliver()`` after releasing
    /// the lock.
    package func enqueue(_ event: Event, isState: Bool = false) {
        state.withLock { state in
            if isState { state.latest = event }
            guard !state.listeners.isEmpty, !state.isFinished else { return }
            state.queue.append(Delivery(event: event, listeners: Array(state.listeners.values)))
        }
    }

    /// Delivers the queued events. When another caller is already delivering, that caller also delivers what was queued
    /// meanwhile.
    package func deliver() {
        let isMine = state.withLock { state in
            guard !state.isDelivering, !state.queue.isEmpty else { return false }
            state.isDelivering = true
            return true
        }
        guard isMine else { return }
        while let deliveries = nextDeliveries() {
            for delivery in deliveries {
                for listener in delivery.listeners {
                    if let event = delivery.event { listener.yield(event) } else { listener.finish() }
                }
            }
        }
    }

    private func nextDeliveries() -> [Delivery]? {
        state.withLock { state in
            guard !state.queue.isEmpty else {
                state.isDelivering = false
                return nil
            }
            defer { state.queue = [] }
            return state.queue
        }
    }

    /// Returns the events from now on. The first one is the latest state, if there is any.
    /// - Parameters:
    ///   - bufferingPolicy: which events to keep until the listener receives them.
    ///   - onTermination: called once when the stream ends, also because its listener was cancelled or has released it.
    package func stream(
        bufferingPolicy: AsyncStream<Event>.Continuation.BufferingPolicy = .unbounded,
        onTermination: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<Event> {
        stream(of: { $0 }, bufferingPolicy: bufferingPolicy, onTermination: onTermination)
    }

    /// Returns a stream that applies `part` to the latest state, if there is one, and then to every later event. Events for
    /// which `part` returns `nil` are left out.
    package func stream<Part: Sendable>(
        of part: @escaping @Sendable (Event) -> Part?,
        bufferingPolicy: AsyncStream<Part>.Continuation.BufferingPolicy = .unbounded,
        onTermination: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<Part> {
        AsyncStream(bufferingPolicy: bufferingPolicy) { continuation in
            let listener = Listener(
                yield: { event in if let part = part(event) { continuation.yield(part) } },
                finish: { continuation.finish() })
            let id = state.withLock { state in
                state.nextID += 1
                return state.nextID
            }
            // Set this handler before the listener is stored, so that it also runs for a stream that ends at once.
            continuation.onTermination = { [state] _ in
                // Release the listener after the lock, because the release may run code that takes the lock again.
                let listener = state.withLock { $0.listeners.removeValue(forKey: id) }
                onTermination()
                withExtendedLifetime(listener) {}
            }
            state.withLock { state in
                if let latest = state.latest { state.queue.append(Delivery(event: latest, listeners: [listener])) }
                if state.isFinished {
                    state.queue.append(Delivery(event: nil, listeners: [listener]))
                } else {
                    state.listeners[id] = listener
                }
            }
            deliver()
        }
    }
}
