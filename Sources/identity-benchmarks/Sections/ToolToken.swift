import Foundation
import IdentityLocalServers

extension Section {
    static let toolToken = Section(
        name: "tool-token", group: "cli", title: "identity token, cached", aim: "≤ 0.7 × oidc-token, wall and CPU",
        reason: """
            The limits beside it do nothing. Starting a Swift program takes the aim's time nearly alone: its runtime looks for \
            its backtracer and the bounds of the stack, in 26 of the calls. Reading the configuration, the shortcut, the \
            choice and the session, and opening the seal, takes the rest, mostly as faults on pages that are used once.
            """
    ) { bench in try await cached(bench, ["token"], peer: []) { peer in (peer?.wall, peer?.processor, 0.7) } }

    static let toolJSON = Section(
        name: "tool-json", group: "cli", title: "identity token --json, cached", aim: "≤ 3 ms",
        reason: "The launcher answers it too, and starting a program is half of that."
    ) { bench in
        try await cached(bench, ["token", "--json"], peer: ["-a"]) { _ in (Statistics(3e-3), Statistics(3e-3), 1) }
    }

    private static func cached(
        _ bench: Bench, _ words: [String], peer options: [String],
        aims: (Figure?) -> (wall: Statistics?, processor: Statistics?, share: Double)
    ) async throws -> Measurement {
        let signedIn = try await SignedInTool(bench)
        let folder = try bench.scratch.folder()
        let agent = try await OIDCAgent.start(at: signedIn.server, in: folder)
        defer { agent?.stop() }
        var program = signedIn.program()
        program.arguments = words + program.arguments
        let peer = agent.map { agent in
            var token = agent.token
            token.arguments = options + token.arguments
            return token
        }
        var contenders = emptyPrograms(in: folder)
        var programs: [Program?] = contenders.map { _ in nil }
        for (name, role, other) in [
            ("identity \(words.joined(separator: " "))", Figure.Role.ours, Program?.some(program)),
            ("oidc-token \(options.joined(separator: " "))".trimmingCharacters(in: .whitespaces), .peer, peer),
        ] {
            guard let other else { continue }
            contenders.append(Contender(name: name, role: role, startsPrograms: true) { try other.run() })
            programs.append(other)
        }
        var figures = try await Stopwatch(rounds: bench.count(200)).compare(contenders)
        let limits = aims(figures.first { $0.role == .peer })
        for index in figures.indices {
            figures[index].calls = programs[index]?.systemCalls(in: folder)
            guard figures[index].role == .ours else { continue }
            // Set the aims of the tool's figure: a share of the peer's fastest round, or a fixed time.
            figures[index].aim = limits.wall.map { $0.minimum * limits.share }
            figures[index].processorAim = limits.processor.map { $0.minimum * limits.share }
        }
        await signedIn.server.stop()
        return Measurement(
            figures: figures, remark: agent == nil ? "oidc-agent-cli is not installed." : "The whole process, cached.")
    }

    static let toolExpired = Section(
        name: "tool-expired", group: "cli", title: "identity token, expired, 64 processes at once",
        aim: "≤ 150 ms, ≤ 2 ms CPU each",
        reason: "The process that refreshes loads the whole tool; until it has the token, the others wait."
    ) { bench in
        let count = bench.isQuick ? 8 : 64
        let latency = Duration.milliseconds(20)
        let signedIn = try await SignedInTool(bench)
        signedIn.server.http.standingFaults.delay = latency
        let program = signedIn.program("token")
        // The agent gets a server of its own whose tokens expire after a second, because the agent's tokens cannot be
        // made to expire in another way.
        let other = try await SignedInTool(bench) { $0.accessTokenLifetime = .seconds(1) }
        let agent = try await OIDCAgent.start(at: other.server, in: try bench.scratch.folder())
        other.server.http.standingFaults.delay = latency
        defer { agent?.stop() }
        var ours: [Cost] = []
        var peers: [Cost] = []
        for round in 0...bench.count(10) {
            try await signedIn.expire()
            let before = signedIn.server.counters.refreshes
            let cost = try await Cost.measure(ofPrograms: true) { try program.run(atOnce: count) }
            guard signedIn.server.counters.refreshes == before + 1 else {
                throw Skipped(description: "\(signedIn.server.counters.refreshes - before) refreshes instead of one")
            }
            if round > 0 { ours.append(cost) }
            guard let agent else { continue }
            try await Task.sleep(for: .milliseconds(1200))
            peers.append(try await Cost.measure(ofPrograms: true) { try agent.token.run(atOnce: count) })
        }
        let empty = try await Stopwatch(rounds: bench.count(10)).compare([
            Contender(name: "/bin/true, \(count) at once", role: .limit, startsPrograms: true) {
                try Program(path: "/bin/true").run(atOnce: count)
            }
        ])
        await signedIn.server.stop()
        await other.server.stop()
        func figure(_ name: String, _ role: Figure.Role, _ costs: [Cost]) -> Figure {
            Figure(
                name: name, role: role, wall: Statistics(costs.map(\.wall)),
                processor: Statistics(costs.map { $0.processor / Double(count) }))
        }
        var mine = figure("identity token", .ours, ours)
        (mine.aim, mine.processorAim) = (0.150, 2e-3)
        var floor = empty[0]
        floor.processor = floor.processor.flatMap {
            Statistics([$0.minimum / Double(count), $0.median / Double(count)])
        }
        return Measurement(
            figures: [mine] + (agent == nil ? [] : [figure("oidc-token", .peer, peers)]) + [floor],
            remark: "The endpoint takes 20 ms. The clock runs until the last has ended; CPU is of each process.")
    }
}
