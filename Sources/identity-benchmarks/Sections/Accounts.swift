import Foundation
import IdentityKit
import IdentityOAuthProviders

extension Section {
    private static func counts(_ bench: Bench) -> [Int] { bench.isQuick ? [1, 1000] : [1, 1000, 10_000, 100_000] }

    static let importOnce = Section(
        name: "first-look", group: "accounts", title: "First silent look, 100,000 accounts", aim: "≤ 1 ms",
        reason: "Opening the store and its key is most of it; the look itself reads two records."
    ) { bench in
        var measurement = Measurement()
        var grown: [Figure] = []
        let counts = counts(bench)
        for count in counts {
            let filled = try await bench.scratch.store(accounts: count)
            let look = Contender(
                name: "\(count) accounts", role: .ours, aim: count == counts.last ? 1e-3 : nil
            ) {
                let client = try IdentityClient.benchmark(over: try filled.open())
                guard try await client.account() == filled.accounts[0] else { throw Skipped(description: "nobody") }
            }
            grown += try await Stopwatch(rounds: bench.count(50)).compare([look])
        }
        measurement.figures = grown.suffix(1)
        measurement.figures.append(try await plainRead(in: bench))
        measurement.curves = [
            Curve(
                name: "first-look", title: "The first silent look of a process", horizontal: "accounts", unit: .seconds,
                lines: [Curve.Line(name: "first silent look", xs: counts, figures: grown, \.wall)])
        ]
        measurement.remark = "In memory (/dev/shm) with sealed records; each look opens the store anew."
        return measurement
    }

    static let listing = Section(
        name: "listing", group: "accounts", title: "whoami and accounts --limit 20, 100,000 accounts",
        aim: "≤ 20 ms and ≤ 60 ms", reason: "Most is the start of the whole tool: loading and binding its libraries."
    ) { bench in
        let tool = try bench.installedTool
        let (rounds, counts) = (bench.count(20), counts(bench))
        var lines: [String: [Figure]] = [:]
        for count in counts {
            let filled = try await bench.scratch.store(accounts: count)
            let file = try SignedInTool.write(
                IdentityConfiguration(
                    store: FilledStore.configuration(of: filled.folder),
                    providers: [
                        ProviderConfiguration(
                            name: BenchmarkSessions.realm, type: OpenIDConnectPlugin.type,
                            settings: [
                                "issuer": .string(BenchmarkSessions.backend), "clientID": "benchmark",
                                "redirectURI": "http://127.0.0.1/callback",
                            ])
                    ]), in: filled.folder)
            func contender(_ words: [String], aim: Double) -> Contender {
                let program = Program(path: tool, arguments: words + ["--config", file.path])
                return Contender(
                    name: words.joined(separator: " "), role: .ours, startsPrograms: true,
                    aim: count == counts.last ? aim : nil
                ) { try program.run() }
            }
            let version = Program(path: tool, arguments: ["--help"])
            let figures = try await Stopwatch(rounds: rounds).compare([
                contender(["whoami"], aim: 20e-3), contender(["accounts", "--limit", "20"], aim: 60e-3),
                Contender(name: "identity --help", role: .limit, startsPrograms: true) { try version.run() },
            ])
            for figure in figures { lines[figure.name, default: []].append(figure) }
        }
        let names = ["whoami", "accounts --limit 20", "identity --help"]
        return Measurement(
            figures: names.compactMap { lines[$0]?.last },
            curves: [
                Curve(
                    name: "listing", title: "Commands over a large store", horizontal: "accounts", unit: .seconds,
                    lines: names.map { Curve.Line(name: $0, xs: counts, figures: lines[$0] ?? [], \.wall) })
            ])
    }

    static let idleClient = Section(
        name: "idle-client", group: "accounts",
        title: "CPU of an idle client while others write 10 records/s, 100,000 accounts", aim: "≤ 0.2 %",
        unit: .fraction,
        reason:
            "The watch looks at one word in memory twice a second, and lists the one folder it waits for when that has changed."
    ) { bench in
        var figures: [Figure] = []
        let (counts, seconds) = (counts(bench), bench.isQuick ? 1.0 : 4.0)
        for count in counts {
            let filled = try await bench.scratch.store(accounts: max(count, 10))
            let place = ["--store", filled.folder.path, "--count", "\(max(count, 10))"]
            let idle = try WorkerProcesses(1, arguments: ["idle"] + place)
            defer { idle.stop() }
            let writing = try WorkerProcesses(1, arguments: ["write"] + place)
            defer { writing.stop() }
            var shares: [Double] = []
            _ = try idle.turn()
            for _ in 0..<2 {
                try await Task.sleep(for: .seconds(seconds))
                shares.append(try idle.turn().processor / seconds)
            }
            figures.append(
                Figure(
                    name: "\(count) accounts", role: .ours, wall: Statistics(shares),
                    aim: count == counts.last ? 0.002 : nil))
        }
        return Measurement(
            figures: figures,
            curves: [
                Curve(
                    name: "idle-client", title: "An idle client while others write 10 records a second",
                    horizontal: "accounts", unit: .fraction,
                    lines: [Curve.Line(name: "of one processor", xs: counts, figures: figures, \.wall)])
            ])
    }

    static let listeners = Section(
        name: "listeners", group: "store", title: "One write with 1,000 listening clients in a process",
        aim: "grows with the clients, no faster", reason: nil
    ) { bench in
        let counts = bench.isQuick ? [1, 100] : [1, 10, 100, 1000]
        var figures: [Figure] = []
        for count in counts {
            let filled = try await FilledStore(folder: bench.scratch.folder(), accounts: 2)
            let store = try filled.open()
            let clients = try (0..<count).map { _ in try IdentityClient.benchmark(over: store) }
            let listening = clients.map { client in
                let events = client.events()
                return Task { for await _ in events {} }
            }
            for client in clients { _ = try await client.accessToken() }
            let other = try filled.open()
            let key = StoreKey.account(filled.accounts[1])
            var costs: [Cost] = []
            for _ in 0..<bench.count(10) {
                costs.append(
                    try await Cost.measure {
                        guard let record = try await other.record(for: key) else { return }
                        try await other.write(record.content, for: key, replacing: record.generation)
                        try await Task.sleep(for: .milliseconds(100))
                    })
            }
            for task in listening { task.cancel() }
            figures.append(
                Figure(name: "\(count) clients", role: .ours, processor: Statistics(costs.map(\.processor))))
            withExtendedLifetime(clients) {}
        }
        return Measurement(
            figures: figures,
            curves: [
                Curve(
                    name: "clients", title: "Processor time of one write that clients listen to", horizontal: "clients",
                    unit: .seconds,
                    lines: [Curve.Line(name: "one write", xs: counts, figures: figures, \.processor)])
            ])
    }
}
