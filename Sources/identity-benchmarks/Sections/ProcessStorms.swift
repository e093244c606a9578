import Foundation
import IdentityKit

extension Section {
    private static let latency = Duration.milliseconds(50)
    private static let starving = """
        Every process has to be woken, read the record and decode it; with two processors that is the number of \
        processes times the cost of a look, half of it at a time.
        """

    static let processes64 = Section(
        name: "processes-64", group: "processes", title: "64 processes, expired, over latency", aim: "≤ 60 ms",
        reason: starving
    ) { bench in
        var measurement = Measurement(remark: remark)
        measurement.figures = [
            try await storm(of: bench.isQuick ? 8 : 64, tasks: 1, aim: 60e-3, rounds: bench.count(10), bench),
            .peer("oidc-agent, whole programs", wall: 127e-3, measured: "2026-11"),
        ]
        measurement.figures.append(try await durableReplace(in: bench))
        let counts = bench.isQuick ? [1, 4] : [1, 4, 16, 64, 256]
        var grown: [Figure] = []
        for count in counts { grown.append(try await storm(of: count, tasks: 1, rounds: bench.count(5), bench)) }
        measurement.curves = [
            Curve(
                name: "processes", title: "One refresh that many processes await, over latency",
                horizontal: "processes",
                unit: .seconds,
                lines: [
                    Curve.Line(name: "until all have it", xs: counts, figures: grown, \.wall),
                    Curve.Line(name: "processor time of all", xs: counts, figures: grown, \.processor),
                ])
        ]
        return measurement
    }

    static let processes256 = Section(
        name: "processes-256", group: "processes", title: "256 processes × 8 tasks, expired, over latency",
        aim: "≤ 0.4 s", reason: starving
    ) { bench in
        let figure = try await storm(
            of: bench.isQuick ? 16 : 256, tasks: 8, aim: 0.4, rounds: bench.count(5), bench)
        return Measurement(figures: [figure, try await durableReplace(in: bench)], remark: remark)
    }

    private static let remark = """
        The processes run and know the session; then it is expired for all, and all ask at once. The endpoint takes \
        \(latency / .milliseconds(1)) ms, which is subtracted. Exactly one request was sent each time.
        """

    private static func storm(
        of count: Int, tasks: Int, aim: Double? = nil, rounds: Int, _ bench: Bench
    ) async throws -> Figure {
        let filled = try await FilledStore(folder: bench.scratch.folder(), accounts: 1)
        let sessions = BenchmarkSessions.make(over: try filled.open())
        let server = try await RefreshServer.start(latency: latency)
        let workers = try WorkerProcesses(
            count,
            arguments: [
                "token", "--store", filled.folder.path, "--server", server.http.url.absoluteString,
                "--tasks", "\(tasks)",
            ])
        defer { workers.stop() }
        var costs: [Cost] = []
        for round in 0...rounds {
            let before = server.requests
            try await sessions.begin(.expired(), for: filled.accounts[0])
            var cost = try workers.turn()
            cost.wall -= latency / .seconds(1)
            guard server.requests == before + 1 else {
                throw Skipped(description: "\(server.requests - before) requests instead of one")
            }
            // Skip the first round, which also opens the store and the connection.
            if round > 0 { costs.append(cost) }
        }
        await server.http.stop()
        return Figure(
            name: "\(count) processes\(tasks > 1 ? " × \(tasks)" : "")", role: .ours,
            wall: Statistics(costs.map(\.wall)), processor: Statistics(costs.map(\.processor)), aim: aim)
    }
}
