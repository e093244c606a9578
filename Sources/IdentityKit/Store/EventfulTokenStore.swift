/// A store that records events that its methods do not report, such as a failed flush after a successful write.
package protocol EventfulTokenStore: TokenStore {
    /// Returns the events since the last call, and forgets them.
    func takeEvents() -> [StoreEvent]
}

/// The events of a store, kept until ``EventfulTokenStore/takeEvents()`` is called.
struct KeptEvents: Sendable {
    /// Largest number of kept events. Further events are dropped, so that memory does not grow if nobody takes the events.
    private static let most = 16
    private let events = Locked<[StoreEvent]>([])

    func add(_ event: StoreEvent) {
        events.withLock { if $0.count < Self.most { $0.append(event) } }
    }

    func take() -> [StoreEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
