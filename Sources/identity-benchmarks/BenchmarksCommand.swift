import ArgumentParser

/// `identity-benchmarks`: measures costs on this machine and prints them. A high cost is never an error.
@main
struct BenchmarksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identity-benchmarks",
        abstract: "What things cost on this machine.",
        discussion: "Build with -c release: the numbers of a debug build say nothing.",
        subcommands: [
            TableCommand.self, WorkerCommand.self, FirstRequestCommand.self, CountCommand.self, FleetCommand.self,
            FleetPartCommand.self,
        ],
        defaultSubcommand: TableCommand.self
    )

    /// The time at which `main()` began.
    @TaskLocal static var start = ContinuousClock.now

    static func main() async {
        await $start.withValue(.now) { await main(nil) }
    }
}
