#if Observability
import Metrics
import IdentityKit

/// Counts each event with swift-metrics, and records the duration of refreshes, attempts and waits, and the health of a
/// client.
///
/// The dimensions are `event`, `provider` and `error_code`; never an account. A backend can choose its error codes, so
/// an observer distinguishes only the first ``maximumErrorCodes`` and counts all others as `other`.
public struct MetricsObserver: IdentityObserver {
    /// Limit of error codes that an observer distinguishes.
    public static let maximumErrorCodes = 100

    /// The label of the counter of all events.
    static let counter = "identity.events"

    private let factory: any MetricsFactory
    private let errorCodes = BoundedNames(limit: Self.maximumErrorCodes)

    /// Counts with `factory`; by default with that of the program's `MetricsSystem`.
    public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    /// Counts `event`, and records its duration if it has one.
    public func observe(_ event: ObservedEvent) {
        let details = event.details
        let dimensions = [
            ("event", details.name), ("provider", details[.provider]), ("error_code", errorCodes[details.errorCode]),
        ].compactMap { name, value in value.map { (name, $0) } }
        Counter(label: Self.counter, dimensions: dimensions, factory: factory).increment()
        if let duration = details.duration, let operation = details.operation {
            Timer(label: "\(operation).duration", dimensions: dimensions, factory: factory)
                .recordNanoseconds(duration.nanoseconds)
        }
        if let health = event.health { record(health) }
    }

    private func record(_ health: ClientHealth) {
        let gauges = [
            ("results.unstored", health.unstoredResults), ("leases.last_minute", health.leasesInLastMinute),
            ("connections.in_use", health.figures?.connectionsInUse),
            ("connections.waiting", health.figures?.waitingCalls), ("takeovers", health.figures?.takeovers),
            ("watches.lost", health.figures?.lostWatches),
        ]
        for (name, value) in gauges {
            if let value { Gauge(label: "identity.\(name)", factory: factory).record(value) }
        }
    }
}
#endif
