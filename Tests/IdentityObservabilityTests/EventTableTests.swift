#if Observability
import Foundation
import IdentityKit
import TestSupport
import Testing

@testable import IdentityObservability

@Suite("The page's table of events says what the observers do")
struct EventTableTests {
    @Test("There is a specimen of every event")
    func specimens() {
        #expect(Set(EventSpecimens.all.map(\.name)) == Set(EventName.allCases.map(\.rawValue)))
    }

    @Test("Every event is a row, and nothing else is")
    func rows() throws {
        #expect(try Self.rows().map(\.event) == EventName.allCases.map(\.rawValue))
    }

    @Test("A row has the level and keys of the log, and the names of timer and span", arguments: EventName.allCases)
    func row(name: EventName) throws {
        let row = try #require(try Self.rows().first { $0.event == name.rawValue })
        var (keys, timers, spans) = (Set<String>(), Set<String>(), Set<String>())
        for event in EventSpecimens.all where event.name == name.rawValue {
            let (logs, metrics, traces) = (RecordedLogs(), RecordedMetrics(), RecordedSpans())
            LoggingObserver(logger: logs.logger).observe(event)
            MetricsObserver(factory: metrics).observe(event)
            TracingObserver(tracer: traces).observe(event)
            let line = try #require(logs.first(name.rawValue))
            #expect(line.level.rawValue == row.level)
            keys.formUnion(line.metadata.keys)
            timers.formUnion(metrics.values.map(\.label))
            spans.formUnion(traces.spans.map(\.name))
            #expect(traces.spans.allSatisfy { Set($0.attributes.keys) == Set(line.metadata.keys) })
        }
        #expect(keys == row.keys.union(["identity.event"]))
        #expect(timers == row.timers.union(["identity.events"]))
        #expect(spans == row.spans)
    }

    @Test("Each gauge has the figure of its name")
    func gauges() {
        let metrics = RecordedMetrics()
        MetricsObserver(factory: metrics).observe(EventSpecimens.health)
        let values = metrics.values.filter { $0.dimensions.isEmpty }.map { ($0.label, $0.value) }
        #expect(
            Dictionary(values) { first, _ in first } == [
                "identity.leases.last_minute": 1, "identity.results.unstored": 2, "identity.connections.in_use": 3,
                "identity.connections.waiting": 4, "identity.takeovers": 5, "identity.watches.lost": 6,
            ])
    }

    private struct Row {
        let event: String
        let level: String
        let keys: Set<String>
        let timers: Set<String>
        let spans: Set<String>
    }

    private static func rows() throws -> [Row] {
        let root = PackageFolder.url
        let page = try String(
            contentsOf: root.appendingPathComponent(
                "Sources/IdentityObservability/IdentityObservability.docc/IdentityObservability.md"),
            encoding: .utf8)
        return page.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, let event = words(of: cells[0]).first else { return nil }
            return Row(
                event: event, level: cells[1], keys: words(of: cells[2]), timers: words(of: cells[3]),
                spans: words(of: cells[4]))
        }
    }

    /// What is between backticks.
    private static func words(of cell: String) -> Set<String> {
        Set(cell.matches(of: /`([^`]+)`/).map { String($0.1) })
    }
}
#endif
