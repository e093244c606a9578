/// A store in which things happen that neither results nor errors report.
package protocol EventfulTokenStore: TokenStore {
    /// Events since the last call.
    func takeEvents() -> [StoreEvent]
}

/// Events that are kept until somebody takes them.
struct KeptEvents: Sendable {
    /// Limit of kept events, because perhaps nobody takes them.
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
