/// A row of the table: the work, its aim, and its measurement.
struct Section: Sendable {
    let name: String
    /// The name of the group, which several sections can share. The option `--section` also accepts a group.
    let group: String
    /// The text that describes the work in the table.
    let title: String
    /// The text that describes the aim in the table. The measured figures have the aim as a number.
    let aim: String
    var unit = Unit.seconds
    /// The explanation of a missed aim: the steps that take the time. The page shows it only if the aim is missed.
    var reason: String?
    let measure: @Sendable (Bench) async throws -> Measurement

    /// All sections, in the order of the table.
    static let all: [Section] = [
        .validToken, .resourceToken, .mainActor, .sharedRefresh, .processes64, .processes256, .toolToken,
        .toolExpired, .toolJSON, .importOnce, .scan, .heard, .listing, .idleClient, .keyLookUp, .loadSession,
        .refreshOnDisk, .verifiedIDToken, .memory,
        .listeners, .keptConnections, .firstRequest, .idleTransport, .consumerBuild, .appSize,
    ]
}

struct Bench: Sendable {
    /// Whether to use fewer rounds and smaller numbers, only to check that everything runs.
    let isQuick: Bool
    let tool: String?
    /// The path of a file with the output of `.ci/footprint`; `nil` if the option `--footprint` is not given.
    let footprint: String?
    let scratch: ScratchFolder

    /// Returns `full`, or in a quick run a tenth of it, but at least 1.
    func count(_ full: Int) -> Int { isQuick ? max(1, full / 10) : full }
}

struct Skipped: Error, CustomStringConvertible {
    let description: String
}
