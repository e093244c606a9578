/// Is told what happens to refreshes, sessions, chains and the store of one environment: for logs, metrics and diagnosis.
///
/// Give it to the ``IdentityEnvironment``; every provider, chain and client made with that is observed. Nobody waits for an
/// observer: events are put in a queue of its own, and a task of its own calls it, one event at a time and in their order.
/// The queue holds the newest 1024 events, so an observer that stays behind loses the oldest. It may block its task for a
/// short while, but what waits for a disk or a network should hand the event on.
///
/// An event has no secret in it. It may name an account.
public protocol IdentityObserver: Sendable {
    /// Takes note of `event`. Called with no lock held.
    func observe(_ event: ObservedEvent)
}

/// The observers of one environment. What happens is told here, once, and goes to all of them.
public final class IdentityObservers: Sendable {
    private static let queueLength = 1024

    private let broadcaster = Broadcaster<ObservedEvent>()

    /// No observers yet.
    public init() {}

    deinit { broadcaster.finish() }

    /// Tells `observer` what happens from now on, until it is removed.
    /// - Returns: what removes it. Whoever lets go of that observes for as long as there is something to observe.
    @discardableResult
    public func add(_ observer: any IdentityObserver) -> ObserverRegistration {
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
        return registration
    }

    /// Tells every observer.
    package func tell(_ event: ObservedEvent) {
        broadcaster.send(event)
    }

    /// ``tell(_:)`` for a caller who holds a lock: ``deliver()`` is due afterwards.
    func enqueue(_ event: ObservedEvent) { broadcaster.enqueue(event) }

    func deliver() { broadcaster.deliver() }

    /// What `part` finds in the events from now on.
    func stream<Part: Sendable>(
        of part: @escaping @Sendable (ObservedEvent) -> Part?,
        bufferingPolicy: AsyncStream<Part>.Continuation.BufferingPolicy
    ) -> AsyncStream<Part> {
        broadcaster.stream(of: part, bufferingPolicy: bufferingPolicy)
    }
}

/// An observer's place among those of an environment.
public final class ObserverRegistration: Sendable {
    private struct State: Sendable {
        var isRemoved = false
        var isCalling = false
        var task: Task<Void, Never>?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Removes the observer. Once this returns it is not called any more: a call under way is waited for.
    public func remove() async {
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

    fileprivate func observes(with task: Task<Void, Never>) {
        state.withLock { $0.task = task }
    }

    /// - Returns: whether the observer may be called.
    fileprivate func beginCall() -> Bool {
        state.withLock { state in
            state.isCalling = !state.isRemoved
            return state.isCalling
        }
    }

    fileprivate func endCall() {
        let waiters = state.withLock { state in
            state.isCalling = false
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
