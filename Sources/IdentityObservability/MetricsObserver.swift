#if Observability
import Metrics
import IdentityKit

/// An observer that counts each event with swift-metrics. It also records the health of a client, and the durations of
/// refreshes, of waits for the store, and of the attempts of a chain of providers.
///
/// Counters and timers have the dimensions `event`, `provider` and `error_code`, but never an account. A backend can choose
/// its error codes, so an observer distinguishes only the first ``maximumErrorCodes`` and counts all others as `other`.
public struct MetricsObserver: IdentityObserver {
    /// The largest number of error codes that one observer distinguishes.
    public static let maximumErrorCodes = 100

    /// The label of the counter of all events.
    static let counter = "identity.events"

    private let factory: any MetricsFactory
    private let errorCodes = BoundedNames(limit: Self.maximumErrorCodes)

    /// Creates an observer that records with `factory`. The default is the factory of `MetricsSystem` at the time of this
    /// call, so call `MetricsSystem.bootstrap(_:)` before.
    public init(factory: any MetricsFactory = MetricsSystem.factory) { self.factory = factory }

    /// Counts `event`, and records its duration and the client's health if it has them.
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
        for (figure, value) in event.health?.figures ?? [:] {
            Gauge(label: "identity.\(figure.rawValue)", factory: factory).record(value)
        }
    }
}
#endif
