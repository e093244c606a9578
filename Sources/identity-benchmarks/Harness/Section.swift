/// A row of the table: the work, its aim, and its measurement.
struct Section: Sendable {
    let name: String
    /// The group, which several sections can share, also for `--section`.
    let group: String
    /// The work, as the table calls it.
    let title: String
    /// The aim, as the table shows it.
    let aim: String
    var unit = Unit.seconds
    /// The explanation of a missed aim, with the parts that take the time; shown only if it is missed.
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
    /// The path of the output of `.ci/footprint`; `nil` without it.
    let footprint: String?
    let scratch: ScratchFolder

    /// `full`, or a tenth of it in a quick run.
    func count(_ full: Int) -> Int { isQuick ? max(1, full / 10) : full }
}

struct Skipped: Error, CustomStringConvertible {
    let description: String
}
