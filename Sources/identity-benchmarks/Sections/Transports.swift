import Foundation
import IdentityKit
import IdentityLocalServers

extension Section {
    private static let transports = BenchmarkTransport.allCases
    private static let aim = transports.count > 1 ? "no more than URLSessionTransport" : "printed"

    static let keptConnections = Section(
        name: "kept-connections", group: "transports", title: "One request over kept connections", aim: aim
    ) { bench in
        let server = try await jsonServer()
        let (url, calls, lanes) = (server.url, 480, [1, 16])
        let made = try transports.map { ($0.rawValue, try $0.make()) }
        let contenders = lanes.flatMap { lanes in
            made.map { name, transport in
                Contender(name: "\(name), \(lanes) at once", role: .ours, calls: calls) {
                    try await atOnce(lanes) {
                        for _ in 0..<(calls / lanes) { _ = try await transport.data(for: URLRequest(url: url)) }
                    }
                }
            }
        }
        let figures = try await Stopwatch(rounds: bench.count(40)).compare(contenders)
        let rates = figures.compactMap { figure in
            figure.wall.map { "\(figure.name): \(Int(1 / $0.median))" }
        }
        await server.stop()
        return Measurement(
            figures: compared(figures),
            remark: """
                Requests per second, by the median: \(rates.joined(separator: "; ")). A small JSON document over HTTP/1.1 \
                from a server of the same process, whose processor time is part of it, and which took \
                \(server.connectionCount) connections for all of them. The default is \(DefaultTransport.name).
                """)
    }

    static let firstRequest = Section(
        name: "first-request", group: "transports", title: "First request of a process", aim: aim
    ) { bench in
        let (alone, each) = try await processes(rounds: bench.count(50))
        func figures(_ index: Int, _ part: String) -> [Figure] {
            zip(transports, each).map { transport, rounds in
                figure("\(transport.rawValue), \(part)", .ours, rounds.map { $0[index] / 1e9 })
            }
        }
        return Measurement(
            figures: compared(figures(1, "the request") + figures(0, "since main"))
                + [figure("no transport, since main", .limit, alone.map { $0[0] / 1e9 })],
            remark: "Each in a process of its own, over HTTP/1.1. The request includes the making of the transport.")
    }

    static let idleTransport = Section(
        name: "idle-transport", group: "transports", title: "Memory of a process after its first request", aim: aim,
        unit: .bytes
    ) { bench in
        let (alone, each) = try await processes(rounds: bench.count(10))
        guard alone.allSatisfy({ $0[2] > 0 }) else { throw Skipped(description: "this system does not tell it") }
        return Measurement(
            figures: compared(zip(transports, each).map { figure($0.rawValue, .ours, $1.map { $0[2] }) })
                + [figure("no transport", .limit, alone.map { $0[2] })],
            remark: "All resident memory of the process, with the pages of shared libraries.")
    }

    private static func jsonServer() async throws -> LocalHTTPServer {
        try await LocalHTTPServer.start { _ in .json(["sub": "person-1", "name": "Ada", "email_verified": true]) }
    }

    /// Runs ``FirstRequestCommand`` in new processes, without a transport and with each transport.
    /// - Returns: the three numbers that a process printed, for each round but the first. `alone` has the rounds
    ///   without a transport. `each` has the rounds of each transport, in the order of `transports`.
    private static func processes(rounds: Int) async throws -> (alone: [[Double]], each: [[[Double]]]) {
        let server = try await jsonServer()
        let programs = ([nil] + transports).map { transport in
            Program(
                path: Program.ownPath,
                arguments: ["first-request", server.url.absoluteString]
                    + (transport.map { ["--transport", $0.rawValue] } ?? []))
        }
        var printed = [[[Double]]](repeating: [], count: programs.count)
        for round in 0...rounds {
            for (index, program) in programs.enumerated() {
                let numbers = try program.numbers()
                guard numbers.count == 3 else { throw ProgramError(path: program.path, status: nil) }
                // Skip the first round, which also loads the libraries into memory.
                if round > 0 { printed[index].append(numbers) }
            }
        }
        await server.stop()
        return (printed[0], Array(printed.dropFirst()))
    }

    private static func figure(_ name: String, _ role: Figure.Role, _ values: [Double]) -> Figure {
        Figure(name: name, role: role, wall: Statistics(values))
    }

    /// Returns `figures` with aims. The figures form groups with one figure for each transport. In each group, the minimum
    /// of the last transport becomes the aim of the other transports.
    private static func compared(_ figures: [Figure]) -> [Figure] {
        figures.indices.map { index in
            var figure = figures[index]
            let last = index - index % transports.count + transports.count - 1
            if index != last { figure.aim = figures[last].wall?.minimum }
            return figure
        }
    }
}
