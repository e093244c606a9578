#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import IdentityLocalServers
import TestSupport
import Testing

/// Processes on many machines, one database on another, and the network between them.
@Suite(.serialized, .enabled(if: Machines.areAvailable, "needs root, iproute2 and socat"))
struct FleetNetworkTests {
    /// A fleet whose machines reach the database over TLS, and an identity server without grace.
    private struct Fleet {
        let machines: Machines
        let database: PostgresServer
        let name: String
        let processes: ProcessFixture
        /// The same store, for a machine that is cut off: a call to the database takes five seconds at most.
        private let hurried: ProcessFixture

        init(machines count: Int) async throws {
            let server = try await ProcessFixture.strictServer()
            let machines = try Machines(count, sharing: try #require(server.url.port))
            let port = 5432
            let database = try PostgresServer(
                listeningAt: machines.address, port: port, certifiedFor: machines.address,
                options: ["max_connections=1000"])
            let name = try database.database()
            let url = database.remoteURL(name, at: machines.address, port: port)
            (self.machines, self.database, self.name) = (machines, database, name)
            func store(deadline: JSONValue, key: URL) -> StoreConfiguration {
                StoreConfiguration(
                    type: PostgresStorePlugin.type,
                    settings: [
                        "url": .string(url.reveal()), "maximumConnections": 2, "deadline": deadline,
                        "key": ["home": "keyFile", "path": .string(key.path)],
                    ])
            }
            let processes = try await ProcessFixture(server: server) { folder in
                let configuration = store(deadline: StorePlace.patience, key: folder.file("key"))
                try await StorePlace.registry.migrate(configuration)
                return configuration
            }
            self.processes = processes
            hurried = try await ProcessFixture(server: server) { _ in
                store(deadline: 5, key: processes.temporary.file("key"))
            }
        }

        func start(
            _ action: String, on machine: Int, shift: Int = 0, tasks: Int = 1, fault: String? = nil,
            isHurried: Bool = false
        ) throws -> ProbeProcess {
            try (isHurried ? hurried : processes).start(
                action, shift: shift, tasks: tasks, fault: fault, machine: machines.names[machine - 1])
        }

        func signIn() async throws {
            #expect(try await start("sign-in", on: 1).end().lines == ["signed in"])
        }
    }

    @Test("Tasks of processes of machines that share an expired token spend it once, round after round")
    func onceForAll() async throws {
        let (machineCount, processCount) = (16, Extent.rounds(1, full: 8))
        let fleet = try await Fleet(machines: machineCount)
        for round in 1...Extent.rounds(2, full: 20) {
            try await fleet.signIn()
            let processes = try (1...machineCount).flatMap { machine in
                try (0..<processCount).map { _ in try fleet.start("token", on: machine, shift: 36_000, tasks: 8) }
            }
            var tokens: [String] = []
            for process in processes {
                let outcome = await process.end()
                #expect(outcome.failures == [])
                tokens += outcome.tokens
            }
            #expect(tokens.count == machineCount * processCount * 8)
            #expect(Set(tokens).count == 1)
            #expect(fleet.processes.server.counters.refreshes == round)
            #expect(fleet.processes.server.counters.replays == 0)
        }
        await fleet.processes.server.stop()
    }

    @Test("A machine that is cut off while it holds the lease stores its result when it is back, and nobody else sends")
    func cutOff() async throws {
        let fleet = try await Fleet(machines: 2)
        try await fleet.signIn()
        // The token is about to expire: everybody may still use it. Its successor has arrived here and is not stored.
        let holder = try fleet.start(
            "token", on: 1, shift: 33_500, fault: "exchange.answered=stop", isHurried: true)
        await holder.waitUntilStopped()
        #expect(fleet.processes.server.counters.refreshes == 1)
        let held = "SELECT count(*) FROM identity_leases WHERE ends_at > clock_timestamp()"
        #expect(try fleet.database.sql(held, in: fleet.name) == "1")
        try fleet.machines.cut(1)
        holder.signal(SIGCONT)

        // Others use what is valid, also when the lease could be theirs.
        let end = ContinuousClock.now + .seconds(Extent.rounds(0, full: 60))
        var isTheirs = false
        while !isTheirs || ContinuousClock.now < end {
            isTheirs = try fleet.database.sql(held, in: fleet.name) == "0"
            let meanwhile = try await fleet.start("token", on: 2, shift: 33_500).end()
            #expect(meanwhile.tokens.count == 1 && meanwhile.failures == [])
        }
        #expect(fleet.processes.server.counters.refreshes == 1)
        try fleet.machines.join(1)

        let outcome = await holder.end()
        #expect(outcome.tokens.count == 1 && outcome.failures == [] && outcome.status == 0)
        // Expired now, so that the old one would not do: the stored successor is used.
        let next = try await fleet.start("token", on: 2, shift: 36_000).end()
        #expect(next.failures == [] && next.tokens.count == 1)
        #expect(fleet.processes.server.counters.replays == 0)
        await fleet.processes.server.stop()
    }

    @Test("A machine without its database gets a typed error within its deadline, and goes on when it is back")
    func noDatabase() async throws {
        let fleet = try await Fleet(machines: 1)
        try await fleet.signIn()
        try fleet.machines.cut(1)
        #expect(try await fleet.start("token", on: 1, isHurried: true).end().failures == ["store_unavailable"])
        try fleet.machines.join(1)
        #expect(try await fleet.start("token", on: 1).end().tokens.count == 1)
        await fleet.processes.server.stop()
    }
}
#endif
