/// Receives the events of one environment, such as refreshes, sign-ins and failures of the store, for logs, metrics and
/// diagnosis.
///
/// Pass an observer to the ``IdentityEnvironment``. The observer receives the events of every provider, chain and client
/// made with that environment. Each observer has its own queue, and its own task, which calls the observer with one event
/// at a time and in order. The queue holds the newest 1024 events, so a slow observer loses the oldest. An observer may
/// block its task for a short time, but should pass the event on before it waits for a disk or a network.
///
/// Events contain no secrets. They may name an account.
public protocol IdentityObserver: Sendable {
    /// Receives `event`. The library holds no lock during the call.
    func observe(_ event: ObservedEvent)
}

/// The observers of one environment, from ``IdentityEnvironment/observers``. Every event is added to the queue of each
/// observer; a slow observer loses the oldest events in its queue.
public final class IdentityObservers: Sendable {
    private static let queueLength = 1024

    private let broadcaster = Broadcaster<ObservedEvent>()

    package init() {}

    deinit { broadcaster.finish() }

    /// Adds `observer`, which receives the events from now on.
    /// - Returns: a function that removes the observer and waits for a running call. The observer is not called after the
    ///   function returns. An observer that is not removed stays as long as the environment.
    @discardableResult
    public func add(_ observer: any IdentityObserver) -> @Sendable () async -> Void {
        let registration = ObserverRegistration()
        let events = broadcaster.stream(bufferingPolicy: .bufferingNewest(Self.queueLength))
        let task = Task {
            for await event in events {
                guard registration.beginCall() else { return }
                observer.observe(event)
                registration.endCall()
            }
        }
        registration.observes(with: task)
        return { await registration.remove() }
    }

    package func emit(_ kind: ObservedEvent.Kind) {
        broadcaster.send(ObservedEvent(kind))
    }

    /// Queues an event as ``emit(_:)`` does, for a caller that holds a lock. Call ``deliver()`` after releasing the lock.
    func enqueue(_ kind: ObservedEvent.Kind) { broadcaster.enqueue(ObservedEvent(kind)) }

    func deliver() { broadcaster.deliver() }

    /// Returns a stream of the values that `part` returns for the events from now on. The stream skips events for which
    /// `part` returns `nil`.
    func stream<Part: Sendable>(
        of part: @escaping @Sendable (ObservedEvent) -> Part?,
        bufferingPolicy: AsyncStream<Part>.Continuation.BufferingPolicy
    ) -> AsyncStream<Part> {
        broadcaster.stream(of: part, bufferingPolicy: bufferingPolicy)
    }
}

/// The registration of an observer, which can remove the observer from its environment.
private final class ObserverRegistration: Sendable {
    private struct State: Sendable {
        var isRemoved = false
        var isCalling = false
        var task: Task<Void, Never>?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func remove() async {
        let task = state.withLock { state in
            state.isRemoved = true
            return state.task
        }
        task?.cancel()
        await withCheckedContinuation { waiter in
            let waits = state.withLock { state in
                if state.isCalling { state.waiters.append(waiter) }
                return state.isCalling
            }
            if !waits { waiter.resume() }
        }
    }

    func observes(with task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    /// Marks a call of the observer as running, unless the observer was removed.
    /// - Returns: whether the observer may be called.
    func beginCall() -> Bool {
        state.withLock { state in
            state.isCalling = !state.isRemoved
            return state.isCalling
        }
    }

    func endCall() {
        let waiters = state.withLock { state in
            state.isCalling = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
