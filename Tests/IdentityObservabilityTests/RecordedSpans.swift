#if Observability
import IdentityKit
import Tracing

/// Keeps the spans that have ended.
final class RecordedSpans: Tracer {
    typealias Span = RecordedSpan

    struct Ended: Sendable {
        let name: String
        let start: UInt64
        let end: UInt64
        let attributes: [String: String]
        let status: SpanStatus?
    }

    private struct State: Sendable {
        var name: String
        var attributes = SpanAttributes()
        var status: SpanStatus?
    }

    final class RecordedSpan: Tracing.Span {
        let context: ServiceContext
        private let start: UInt64
        private let state: Locked<State>
        private let keep: @Sendable (Ended) -> Void

        fileprivate init(
            _ name: String, in context: ServiceContext, at start: UInt64, keep: @escaping @Sendable (Ended) -> Void
        ) {
            (self.context, self.start, self.keep) = (context, start, keep)
            state = Locked(State(name: name))
        }

        var isRecording: Bool { true }

        var operationName: String {
            get { state.withLock { $0.name } }
            set { state.withLock { $0.name = newValue } }
        }

        var attributes: SpanAttributes {
            get { state.withLock { $0.attributes } }
            set { state.withLock { $0.attributes = newValue } }
        }

        func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }
        func addEvent(_ event: SpanEvent) {}
        func addLink(_ link: SpanLink) {}

        func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {}

        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            let state = state.withLock { $0 }
            var attributes: [String: String] = [:]
            state.attributes.forEach { key, value in
                if case .string(let text) = value { attributes[key] = text }
            }
            keep(
                Ended(
                    name: state.name, start: start, end: instant().nanosecondsSinceEpoch, attributes: attributes,
                    status: state.status))
        }
    }

    private let ended = Locked<[Ended]>([])

    var spans: [Ended] { ended.withLock { $0 } }

    /// The first span of the event with this name.
    func first(_ event: String) -> Ended? { spans.first { $0.attributes["identity.event"] == event } }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        RecordedSpan(operationName, in: context(), at: instant().nanosecondsSinceEpoch) { [ended] span in
            ended.withLock { $0.append(span) }
        }
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {}
}
#endif
