import IdentityKit

extension Section {
    static let sharedRefresh = Section(
        name: "shared-refresh", group: "store", title: "1,000 tasks on one expired token, 20 ms endpoint, memory store",
        aim: "≤ 25 ms, ≤ 6 ms CPU",
        reason: "The limit beside it is a thousand tasks that only await one result; the rest is ours."
    ) { bench in
        let latency = Duration.milliseconds(20)
        func ours(_ tasks: Int) -> Contender {
            let requests = Locked(0)
            let store = MemoryTokenStore()
            let sessions = BenchmarkSessions.make(over: store) { credential in
                requests.withLock { $0 += 1 }
                try await Task.sleep(for: latency)
                return .refreshed(credential.refreshed())
            }
            let account = FilledStore.account(0)
            let isMain = tasks == 1000
            return Contender(
                name: "\(tasks) tasks", role: .ours, aim: isMain ? 25e-3 : nil, processorAim: isMain ? 6e-3 : nil
            ) {
                try await sessions.begin(.expired(), for: account)
                let before = requests.withLock { $0 }
                try await atOnce(tasks) { _ = try await sessions.accessToken(for: account, scopes: []) }
                guard requests.withLock({ $0 }) == before + 1 else { throw Skipped(description: "several requests") }
            }
        }
        func floor(_ tasks: Int) -> Contender {
            Contender(name: "\(tasks) tasks await one result", role: .limit) {
                let result = Task {
                    try await Task.sleep(for: latency)
                    return "refreshed"
                }
                try await atOnce(tasks) { _ = try await result.value }
            }
        }
        var measurement = Measurement()
        measurement.figures = try await Stopwatch(rounds: bench.count(150)).compare([ours(1000), floor(1000)])
        measurement.figures.append(
            .peer("OAuthenticator", wall: 24.5e-3, processor: 6e-3, measured: "2026-11"))
        let counts = bench.isQuick ? [1, 10, 100, 1000] : [1, 10, 100, 1000, 10_000]
        let grown = try await Stopwatch(rounds: bench.count(10)).compare(counts.flatMap { [ours($0), floor($0)] })
        func figures(_ role: Figure.Role) -> [Figure] { grown.filter { $0.role == role } }
        measurement.curves = [
            Curve(
                name: "tasks", title: "Processor time of one refresh that many tasks await", horizontal: "tasks",
                unit: .seconds,
                lines: [
                    Curve.Line(name: "swift-identity", xs: counts, figures: figures(.ours), \.processor),
                    Curve.Line(name: "limit: one result", xs: counts, figures: figures(.limit), \.processor),
                ])
        ]
        return measurement
    }

    static func atOnce(_ count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask(operation: body) }
            try await group.waitForAll()
        }
    }
}
