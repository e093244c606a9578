#if Observability
import IdentityKit
import Tracing

/// Makes a span of each event that has a duration, with swift-distributed-tracing.
///
/// Because an observer is called after the event, in a task of its own, a span ends at that call, begins earlier by its
/// duration, and has no parent. An event with an error code has the status `error`, and the code as its message.
public struct TracingObserver: IdentityObserver {
    private let tracer: any Tracer
    private let now: @Sendable () -> UInt64

    /// Makes spans with `tracer`; by default with that of the program's `InstrumentationSystem`.
    public init(tracer: any Tracer = InstrumentationSystem.tracer) {
        self.init(tracer: tracer) { DefaultTracerClock.now.nanosecondsSinceEpoch }
    }

    /// Makes spans with a given clock, for tests.
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
