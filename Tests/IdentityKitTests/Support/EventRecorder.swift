import IdentityKit

/// Writes down what it is told.
final class EventRecorder: IdentityObserver {
    private let recorded = Locked<[ObservedEvent]>([])

    func observe(_ event: ObservedEvent) { recorded.withLock { $0.append(event) } }

    var events: [ObservedEvent] { recorded.withLock { $0 } }

    /// Waits for an event with this name.
    @discardableResult
    func first(_ name: String) async -> ObservedEvent {
        while true {
            if let event = events.first(where: { $0.name == name }) { return event }
            await Task.yield()
        }
    }

    /// The names of the events whose names begin so, once one with the name `last` is there.
    func names(_ prefix: String, until last: String) async -> [String] {
        await first(last)
        return events.map(\.name).filter { $0.hasPrefix(prefix) }
    }
}
