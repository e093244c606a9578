import Foundation
import IdentityKit

extension Section {
    static let loadSession = Section(
        name: "load-session", group: "store", title: "Load and decode one session", aim: "≤ 20 µs",
        reason: "Opening, reading and closing the file is the limit beside it; opening the seal and JSON are the rest."
    ) { bench in
        let filled = try await bench.scratch.store(accounts: bench.isQuick ? 100 : 1000)
        let store = try filled.open()
        let sessions = BenchmarkSessions.make(over: store)
        let calls = 200
        let load = Contender(name: "a sealed session", role: .ours, calls: calls, aim: 20e-6) {
            for call in 0..<calls {
                _ = try await sessions.storedCredential(of: filled.accounts[call &* 7919 % filled.accounts.count])
            }
        }
        let read = Contender(name: "its record, not decoded", role: .ours, calls: calls) {
            for call in 0..<calls {
                _ = try await store.record(for: .account(filled.accounts[call &* 7919 % filled.accounts.count]))
            }
        }
        return Measurement(
            figures: try await Stopwatch(rounds: bench.count(60)).compare([load, read, try plainReading(in: bench)]))
    }

    static let refreshOnDisk = Section(
        name: "refresh-on-disk", group: "store", title: "Refresh on disk, without the request",
        aim: "two durable replaces, and little more",
        reason: """
            The note that a refresh token is being spent must be durable before the request, and the result is known only \
            after it, so they cannot share one.
            """
    ) { bench in
        let filled = try await FilledStore(folder: bench.scratch.folder(), accounts: 1)
        let store = try filled.open()
        let sessions = BenchmarkSessions.make(over: store) { .refreshed($0.refreshed()) }
        let token: Secret = "refreshed"
        let refresh = Contender(name: "a refresh", role: .ours) {
            _ = try await sessions.accessToken(
                for: filled.accounts[0], scopes: [], freshness: .other(than: token.reveal()))
        }
        let key = StoreKey(.device, "benchmark")
        let save = Contender(name: "a record saved", role: .ours) {
            let generation = try await store.record(for: key)?.generation ?? 0
            try await store.write(Data(count: 2048), for: key, replacing: generation)
        }
        let replace = durableReplacing(in: try bench.scratch.folder())
        try await sessions.begin(.sample().refreshed(), for: filled.accounts[0])
        return Measurement(figures: try await Stopwatch(rounds: bench.count(60)).compare([refresh, save, replace]))
    }

    static func plainRead(in bench: Bench) async throws -> Figure {
        try await Stopwatch(rounds: bench.count(60)).compare([try plainReading(in: bench)])[0]
    }

    private static func plainReading(in bench: Bench) throws -> Contender {
        let file = bench.scratch.memory.appendingPathComponent("plain").path
        try Data(count: 2048).write(to: URL(fileURLWithPath: file))
        let calls = 200
        return Contender(name: "open, read and close a file", role: .limit, calls: calls) {
            var bytes = [UInt8](repeating: 0, count: 4096)
            for _ in 0..<calls {
                let descriptor = open(file, O_RDONLY)
                _ = read(descriptor, &bytes, bytes.count)
                close(descriptor)
            }
        }
    }

    static let memory = Section(
        name: "memory", group: "memory", title: "Memory of a client and of a cached session",
        aim: "≤ 6 KB and ≤ 1.2 KB", unit: .bytes,
        reason: """
            A client keeps a task that listens to the store. A cached session keeps its token, which is the limit, and what \
            tells whether it is still the stored one.
            """
    ) { bench in
        let count = bench.count(10_000)
        let worker = Program(path: Program.ownPath, arguments: ["worker", "memory", "--count", "\(count)"])
        let values = try (0..<3).map { _ in try worker.numbers() }
        func figure(_ name: String, _ index: Int, aim: Double) -> Figure {
            Figure(
                name: name, role: .ours,
                wall: Statistics(values.compactMap { $0.indices.contains(index) ? $0[index] : nil }), aim: aim)
        }
        return Measurement(
            figures: [
                figure("client", 0, aim: 6000), figure("cached session", 1, aim: 1200),
                .bytes("the bytes of the session's token", 900),
            ], remark: "The resident memory that \(count) of them add to a process, of each.")
    }
}

extension Figure {
    fileprivate static func bytes(_ name: String, _ value: Double) -> Figure {
        Figure(name: name, role: .limit, wall: Statistics(value))
    }
}
