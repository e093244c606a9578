/// What a client tells about who is signed in.
public enum IdentityEvent: Sendable, Equatable {
    /// This account is the active one now.
    case signedIn(AccountID)
    /// Nobody is active now.
    case signedOut
    /// Other providers are in use now.
    case configurationChanged(ConfigurationChange)
    /// A new configuration cannot be used, for this reason; the old one stays.
    case configurationRejected(String)

    /// Whether the event says who is signed in.
    fileprivate var isState: Bool {
        switch self {
        case .signedIn, .signedOut: true
        case .configurationChanged, .configurationRejected: false
        }
    }
}

/// Hands every event to every listener, and the last one about who is signed in first to whoever comes later.
final class EventBroadcast: Sendable {
    private struct State: Sendable {
        var nextID = 0
        var latest: IdentityEvent?
        var listeners: [Int: AsyncStream<IdentityEvent>.Continuation] = [:]
    }

    private let state = Locked(State())

    func send(_ event: IdentityEvent) {
        // Yielded under the lock, so that no listener can get an older event after a newer one.
        state.withLock { state in
            if event.isState { state.latest = event }
            for listener in state.listeners.values { listener.yield(event) }
        }
    }

    func stream() -> AsyncStream<IdentityEvent> {
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
