/// A store in which something happens that no result and no error says.
package protocol EventfulTokenStore: TokenStore {
    /// Events since the last call.
    func takeEvents() -> [StoreEvent]
}

/// The events that a store keeps until they are taken.
struct KeptEvents: Sendable {
    /// Nobody may take them.
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
