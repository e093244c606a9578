/// Hands every event to every listener, each of them in the order in which they were sent.
///
/// A listener's stream calls back when its task is cancelled, with locks of the runtime held, and yielding to it takes the
/// same locks. So nothing is yielded, finished or let go of under the lock of a broadcaster: events are put in a queue
/// with those who are to get them, and one caller at a time empties it.
package final class Broadcaster<Event: Sendable>: Sendable {
    /// What hands events to one stream.
    private struct Listener: Sendable {
        let yield: @Sendable (Event) -> Void
        let finish: @Sendable () -> Void
    }

    /// One event for those who listened when it was sent; `nil` ends their streams.
    private struct Delivery: Sendable {
        let event: Event?
        let listeners: [Listener]
    }

    private struct State: Sendable {
        var nextID = 0
        var listeners: [Int: Listener] = [:]
        /// What a new listener gets first.
        var latest: Event?
        var queue: [Delivery] = []
        var isDelivering = false
        var isFinished = false
    }

    private let state = Locked(State())

    package init() {}

    /// Ends every stream.
    package func finish() {
        state.withLock { state in
            state.isFinished = true
            state.queue.append(Delivery(event: nil, listeners: Array(state.listeners.values)))
        }
        deliver()
    }

    /// Hands `event` to everybody who listens now.
    /// - Parameter isState: whether it says how things are, so that whoever comes later gets it first.
    package func send(_ event: Event, isState: Bool = false) {
        enqueue(event, isState: isState)
        deliver()
    }

    /// ``send(_:isState:)`` without the delivery, for a caller who holds a lock: ``deliver()`` is due afterwards.
    package func enqueue(_ event: Event, isState: Bool = false) {
        state.withLock { state in
            if isState { state.latest = event }
            guard !state.listeners.isEmpty, !state.isFinished else { return }
            state.queue.append(Delivery(event: event, listeners: Array(state.listeners.values)))
        }
    }

    /// Empties the queue, unless somebody is at it, who then takes what came in meanwhile too.
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

    /// The events from now on, after the latest one that says how things are.
    /// - Parameters:
    ///   - bufferingPolicy: what becomes of events that the listener has not taken yet.
    ///   - onTermination: called once when the listener has gone.
    package func stream(
        bufferingPolicy: AsyncStream<Event>.Continuation.BufferingPolicy = .unbounded,
        onTermination: @escaping @Sendable () -> Void = {}
    ) -> AsyncStream<Event> {
        stream(of: { $0 }, bufferingPolicy: bufferingPolicy, onTermination: onTermination)
    }

    /// What `part` finds in the events, as a stream of its own.
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
            // Before the listener can be told that all is over.
            continuation.onTermination = { [state] _ in
                // Let go of after the lock: the end of a stream's last reference comes here once more.
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
