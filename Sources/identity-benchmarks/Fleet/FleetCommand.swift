import ArgumentParser
import Foundation
import IdentityKit
import IdentityPostgres

struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "The store on PostgreSQL, with few accounts and with many.",
        discussion: """
            Makes tables of its own in the database, fills them, measures, and removes them. Needs a build with \
            --traits Tools,PostgreSQL, and psql. .ci/fleet --accounts runs it with a server of its own.
            """)

    @Option(help: "The database, as libpq reads it.")
    var url: String

    @Option(parsing: .upToNextOption, help: "How many accounts the tables hold.")
    var accounts = [1_000, 1_000_000]

    @Option(help: "How many refreshes are measured.")
    var refreshes = 500

    @Option(help: "Measure writes for so many seconds each, with and without telling others. Needs pgbench.")
    var rates: Int?

    @Option(parsing: .upToNextOption, help: "With --rates: how many milliseconds a commit is delayed.")
    var commits = [1, 5, 20]

    @Option(help: "Measure how far the table grows while so many records are replaced. Needs pgbench.")
    var growth: Int?

    @Flag(help: "Show the plan of each statement.")
    var plans = false

    func validate() throws {
        guard accounts.allSatisfy((1...100_000_000).contains), !accounts.isEmpty else {
            throw ValidationError("Give --accounts from 1 to 100000000.")
        }
        guard (1...100_000).contains(refreshes) else { throw ValidationError("Give --refreshes from 1 to 100000.") }
    }

    func run() async throws {
        #if PostgreSQL
        let scratch = try ScratchFolder()
        defer { scratch.remove() }
        var rows: [FleetRow] = []
        for count in accounts {
            FileHandle.standardError.write(Data("\(count) accounts …\n".utf8))
            let database = try FleetDatabase(url: url, accounts: count, keyFile: scratch.url.path + "/key")
            defer { database.remove() }
            try await database.fill()
            if let rates {
                print(try database.rates(commits: commits, seconds: rates))
                continue
            }
            if let growth {
                print(try database.growth(writes: growth))
                continue
            }
            rows.append(try await database.measure(refreshes: refreshes))
            for (name, plan) in try database.plans() {
                // Allow a sequential scan of a small table, because PostgreSQL chooses it there as the fastest plan.
                guard !plan.contains("Seq Scan on") || count < 10_000 else {
                    throw Skipped(description: "\(name) reads everything:\n\(plan)")
                }
                if plans { print("\(name)\n\(plan)\n") }
            }
        }
        guard rates == nil, growth == nil else { return }
        let files = try await scratch.store(accounts: 1)
        let inFiles = try await FleetDatabase.cachedToken(
            of: FilledStore.account(0), in: BenchmarkSessions.make(over: files.open()))
        print(FleetRow.table(rows, cachedTokenInFiles: inFiles))
        #else
        throw Skipped(description: "Build with --traits Tools,PostgreSQL")
        #endif
    }
}
