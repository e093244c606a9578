#if Observability
import IdentityKit
import Tracing

/// An observer that makes a span of each event with a duration, with swift-distributed-tracing.
///
/// An observer is called after the event. The span therefore ends at that call and begins earlier by the event's duration.
/// The span has no parent, because the observer is called in a task of its own. If the event has an error code, the span
/// has the status `error` with the error code as its message.
public struct TracingObserver: IdentityObserver {
    private let tracer: any Tracer
    private let now: @Sendable () -> UInt64

    /// Creates an observer that makes its spans with `tracer`, by default with the tracer of the program's
    /// `InstrumentationSystem`.
    public init(tracer: any Tracer = InstrumentationSystem.tracer) {
        self.init(tracer: tracer) { DefaultTracerClock.now.nanosecondsSinceEpoch }
    }

    /// Creates an observer with a given clock, for tests.
    /// - Parameter now: returns the nanoseconds since 1970.
    init(tracer: any Tracer, now: @escaping @Sendable () -> UInt64) { (self.tracer, self.now) = (tracer, now) }

    /// Makes a span of `event`, if it has a duration.
    public func observe(_ event: ObservedEvent) {
        let details = event.details
        guard let duration = details.duration, let operation = details.operation else { return }
        let end = now()
        let start = end - min(end, UInt64(duration.nanoseconds))
        let span: any Span = tracer.startSpan(
            operation, context: .topLevel, ofKind: .internal,
            at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: start))
        for (key, value) in details.attributes { span.attributes[key] = value }
        if let code = details.errorCode { span.setStatus(SpanStatus(code: .error, message: code)) }
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: end))
    }
}
#endif
