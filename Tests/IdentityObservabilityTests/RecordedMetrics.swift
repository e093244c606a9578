#if Observability
import Metrics
import IdentityKit

/// Keeps every value of every counter and timer.
final class RecordedMetrics: MetricsFactory {
    struct Value: Sendable {
        let label: String
        let dimensions: [String: String]
        let value: Int64
    }

    private final class Handler: CounterHandler, TimerHandler, RecorderHandler {
        let keep: @Sendable (Int64) -> Void

        init(_ keep: @escaping @Sendable (Int64) -> Void) { self.keep = keep }

        func increment(by amount: Int64) { keep(amount) }
        func reset() {}
        func recordNanoseconds(_ duration: Int64) { keep(duration) }
        func record(_ value: Int64) { keep(value) }
        func record(_ value: Double) {}
    }

    private let recorded = Locked<[Value]>([])

    var values: [Value] { recorded.withLock { $0 } }

    /// The values with this label of the event with this name.
    func values(_ label: String, of event: String) -> [Value] {
        values.filter { $0.label == label && $0.dimensions["event"] == event }
    }

    private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
        Handler { [recorded] value in
            recorded.withLock {
                $0.append(
                    Value(label: label, dimensions: Dictionary(dimensions) { $1 }, value: value))
            }
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { handler(label, dimensions) }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { handler(label, dimensions) }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        handler(label, dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}
#endif
