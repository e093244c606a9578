/// A row of the table: a piece of work, its aim, and how it is measured.
struct Section: Sendable {
    let name: String
    /// Other sections have the same one; also for `--section`.
    let group: String
    /// The work, as the table calls it.
    let title: String
    /// The aim, as the table shows it.
    let aim: String
    var unit = Unit.seconds
    /// Why the aim is missed where it is, with where the time goes; shown only then.
    var reason: String?
    let measure: @Sendable (Bench) async throws -> Measurement

    /// All, in the order of the table.
    static let all: [Section] = [
        .validToken, .resourceToken, .mainActor, .sharedRefresh, .processes64, .processes256, .toolToken,
        .toolExpired, .toolJSON, .importOnce, .scan, .heard, .listing, .idleClient, .keyLookUp, .loadSession,
        .refreshOnDisk, .verifiedIDToken, .memory,
        .listeners, .keptConnections, .firstRequest, .idleTransport, .consumerBuild, .appSize,
    ]
}

struct Bench: Sendable {
    /// Fewer rounds and smaller numbers: to see that it runs.
    let isQuick: Bool
    let tool: String?
    /// The output of `.ci/footprint`.
    let footprint: String?
    let scratch: ScratchFolder

    /// `full`, or a tenth of it in a quick run.
    func count(_ full: Int) -> Int { isQuick ? max(1, full / 10) : full }
}

struct Skipped: Error, CustomStringConvertible {
    let description: String
}
