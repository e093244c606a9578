import Foundation
import IdentityKit

extension Section {
    static let scan = Section(
        name: "scan", group: "accounts", title: "First look without a record of the current account, 100,000 accounts",
        aim: "once, and the record is there", reason: nil
    ) { bench in
        let counts = bench.isQuick ? [1, 1000] : [1, 1000, 10_000, 100_000]
        var figures: [Figure] = []
        for count in counts {
            let filled = try await bench.scratch.store(accounts: count)
            var costs: [Cost] = []
            for _ in 0..<bench.count(10) {
                try await filled.open().update(.currentAccount(ofRealm: BenchmarkSessions.realm)) { _ in .replace(nil) }
                costs.append(
                    try await Cost.measure {
                        let client = try IdentityClient.benchmark(over: try filled.open())
                        guard try await client.account() != nil else { throw Skipped(description: "nobody") }
                    })
            }
            figures.append(
                Figure(
                    name: "\(count) accounts", role: .ours, wall: Statistics(costs.map(\.wall)),
                    processor: Statistics(costs.map(\.processor))))
        }
        return Measurement(
            figures: figures,
            curves: [
                Curve(
                    name: "scan", title: "The first look where nothing says who is current", horizontal: "accounts",
                    unit: .seconds,
                    lines: [Curve.Line(name: "reads all sessions", xs: counts, figures: figures, \.wall)])
            ],
            remark:
                "In memory (/dev/shm) with sealed records. Only a store of 64 accounts and more keeps a record of nobody."
        )
    }

    static let heard = Section(
        name: "heard", group: "accounts", title: "A sign-in or sign-out elsewhere, until a listener hears it",
        aim: "≤ 2 s, and at once within a process", reason: nil
    ) { bench in
        let filled = try await FilledStore(folder: bench.scratch.folder(), accounts: 1)
        let store = try filled.open()
        let client = try IdentityClient.benchmark(over: store)
        var events = client.events().makeAsyncIterator()
        func waits(forSomebody expected: Bool) async {
            while let event = await events.next(), (event.activeAccount != nil) != expected {}
        }
        _ = try await client.accessToken()
        await waits(forSomebody: true)
        let sessions = BenchmarkSessions.make(over: store)
        let elsewhere = try WorkerProcesses(1, arguments: ["switch", "--store", filled.folder.path])
        defer { elsewhere.stop() }
        var isSignedIn = true
        let figures = try await Stopwatch(rounds: bench.count(20)).compare([
            Contender(name: "in this process", role: .ours, aim: 0.1) {
                isSignedIn.toggle()
                if isSignedIn {
                    try await sessions.begin(.sample(), for: filled.accounts[0])
                } else {
                    try await sessions.end(filled.accounts[0])
                }
                await waits(forSomebody: isSignedIn)
            },
            Contender(name: "in another process", role: .ours, aim: 2) {
                isSignedIn.toggle()
                _ = try elsewhere.turn()
                await waits(forSomebody: isSignedIn)
            },
        ])
        return Measurement(figures: figures, remark: "The session is in files; the listener asks for nothing.")
    }
}
