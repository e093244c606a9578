import IdentityKit

extension Section {
    static let validToken = Section(
        name: "valid-token", group: "chain", title: "Valid token, client and chain of 10", aim: "≤ 200 ns and ≤ 230 ns",
        reason: """
            What is above the lock and the copy is the asynchronous call through `any AccountProvider`, whose frames are \
            allocated on the task, the look at the store's version and the clock, and the release of the provider.
            """
    ) { bench in
        let store = try await bench.scratch.store(accounts: 1).open()
        let (rounds, calls) = (bench.count(300), 2000)
        func contender(_ name: String, _ client: IdentityClient, aim: Double? = nil) -> Contender {
            Contender(name: name, role: .ours, calls: calls, aim: aim) {
                for _ in 0..<calls { _ = try await client.accessToken() }
            }
        }
        let text = Locked(String(repeating: "t", count: 900))
        let copy = Contender(name: "a lock and a copy", role: .limit, calls: calls) {
            for _ in 0..<calls { _ = text.withLock { $0 } }
        }
        var measurement = Measurement()
        measurement.figures = try await Stopwatch(rounds: rounds).compare([
            contender("client", try .benchmark(over: store), aim: 200e-9),
            contender("client of a chain of 10", try .benchmark(over: store, chain: 10), aim: 230e-9), copy,
        ])
        measurement.figures += [
            .peer("OAuthenticator", wall: 378e-9, measured: "2026-11"),
            .peer("Okta", wall: 410e-9, measured: "2026-11"),
            .peer("Supabase", wall: 102e-6, measured: "2026-11"),
        ]
        do {
            measurement.figures.append(try MSAL(in: bench.scratch.url).validToken(rounds: bench.count(50)))
        } catch {
            measurement.remark = "msal is not compared: \(error)"
        }
        let chains = [1, 2, 5, 10, 20, 50, 100]
        let grown = try await Stopwatch(rounds: bench.count(40)).compare(
            chains.map { contender("\($0)", try .benchmark(over: store, chain: $0)) })
        measurement.curves = [
            Curve(
                name: "providers", title: "A valid token through a chain", horizontal: "providers", unit: .seconds,
                lines: [Curve.Line(name: "client of a chain", xs: chains, figures: grown, \.wall)])
        ]
        return measurement
    }

    static let resourceToken = Section(
        name: "resource-token", group: "chain", title: "Valid token for a second API of the server",
        aim: "≤ 1.2 × the session's own",
        reason: """
            A token for a resource is looked for among those of the session: the name of the resource is compared, which \
            the session's own token does not need.
            """
    ) { bench in
        let client = try await IdentityClient.benchmarkOfResources(
            over: try await bench.scratch.store(accounts: 1).open())
        let calls = 2000
        var figures = try await Stopwatch(rounds: bench.count(300)).compare([
            Contender(name: "token for a resource", role: .ours, calls: calls) {
                for _ in 0..<calls { _ = try await client.accessToken(resource: BenchmarkSessions.resource) }
            },
            Contender(name: "the session's own", role: .limit, calls: calls) {
                for _ in 0..<calls { _ = try await client.accessToken() }
            },
        ])
        figures[0].aim = figures[1].wall.map { $0.minimum * 1.2 }
        return Measurement(figures: figures)
    }

    static let mainActor = Section(
        name: "main-actor", group: "chain", title: "Valid token from the main actor", aim: "≤ 0.4 µs",
        reason: "It stays on the caller's thread, and is the same call as the one above."
    ) { bench in
        let client = try IdentityClient.benchmark(over: try await bench.scratch.store(accounts: 1).open())
        let calls = 1000
        let figures = try await Stopwatch(rounds: bench.count(40)).compare([
            Contender(name: "client", role: .ours, calls: calls, aim: 0.4e-6) {
                try await OnMainActor.accessTokens(calls, of: client)
            },
            Contender(name: "an asynchronous call that stays", role: .limit, calls: calls) {
                await OnMainActor.calls(calls)
            },
        ])
        return Measurement(figures: figures + [.peer("the best", wall: 7.3e-6, measured: "2026-11")])
    }
}

extension Curve.Line {
    /// Creates a line through the medians of `figures`. Each figure was measured with the number in `xs` at its index.
    init(name: String, xs: [Int], figures: [Figure], _ statistics: KeyPath<Figure, Statistics?>) {
        let points = zip(xs, figures).compactMap { x, figure in
            figure[keyPath: statistics].map { Curve.Point(x: Double(x), y: $0.median) }
        }
        self.init(name: name, points: points)
    }
}

/// Calls from the main actor, where views run.
@MainActor
private enum OnMainActor {
    static func accessTokens(_ count: Int, of client: IdentityClient) async throws {
        for _ in 0..<count { _ = try await client.accessToken() }
    }

    static func calls(_ count: Int) async {
        for _ in 0..<count { await stay() }
    }

    private static func stay() async {}
}
