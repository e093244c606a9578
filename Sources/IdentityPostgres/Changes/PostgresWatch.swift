#if PostgreSQL
import Foundation
import IdentityKit

/// Hears of the changes that other programs make: each of them adds a row to a table of changes, which is asked for from time
/// to time. A direct connection also shows the others that this program is alive.
final class PostgresWatch: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        /// When somebody first wanted to hear of changes.
        var startedAt: UInt64 = 0
        var hasTried = false
        /// The advisory lock that a direct connection holds.
        var liveness: Int64?
        /// The snapshot of when changes were last asked for.
        var seen: PostgresSight?
        var lastAsked: UInt64 = 0
        /// When this program trims the table next, and from which transaction on.
        var trimsAt: UInt64 = 0
        var trimsFrom = "0"
    }

    let markers = PostgresMarkers()
    private let address: PostgresAddress
    private let statements: WatchStatements
    private let validity: Duration
    private let send: @Sendable (StoreChange) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - address: a direct connection, or one through a pooler.
    ///   - tables: the tables.
    ///   - validity: how long what is known stays valid after the server was heard of.
    ///   - send: gets every change.
    init(
        _ address: PostgresAddress, _ tables: PostgresTables, validity: Duration,
        send: @escaping @Sendable (StoreChange) -> Void
    ) {
        self.address = address
        self.validity = validity
        self.send = send
        statements = WatchStatements(tables)
    }

    /// Statements that are sent to the server again and again.
    var allStatements: [PostgresStatement] { [statements.changes, statements.recent, statements.trim] }

    /// Begins to follow, once.
    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.startedAt = ContinuousTime.now
            state.task = Task { [self] in await follow() }
        }
    }

    func stop() {
        state.withLock { $0.task }?.cancel()
    }

    /// The lock that others find taken while this program is alive; `nil` without a direct connection. The first attempt to
    /// connect is waited for.
    func liveness() async -> Int64? {
        start()
        try? await Backoff.result(
            within: .seconds(1), to: .milliseconds(20), pausing: { try await Task.sleep(for: $0) }
        ) {
            state.withLock { $0.hasTried } ? () : nil
        }
        return currentLiveness
    }

    /// As ``liveness()``, without waiting for a connection.
    var currentLiveness: Int64? { state.withLock { $0.liveness } }

    // MARK: Following

    private func follow() async {
        while !Task.isCancelled {
            // The pauses grow until the server has answered.
            try? await Backoff.result(
                within: .seconds(Int64.max), from: .milliseconds(50), to: .seconds(2),
                pausing: { try await Task.sleep(for: $0) }
            ) { await followOnce() ? () : nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
        lose()
    }

    /// Follows over one connection until it is lost.
    /// - Returns: whether the server has answered.
    private func followOnce() async -> Bool {
        var hasAnswered = false
        defer { lose() }
        do {
            let connection = try PostgresConnection(to: address)
            let turn = connection.beginTurn()
            try await withTaskCancellationHandler {
                try await begin(on: connection)
                hasAnswered = true
                while !Task.isCancelled {
                    await trim(on: connection)
                    try await connection.rest(until: .now + min(validity / 4, .seconds(1)))
                    try await catchUp(on: connection)
                }
            } onCancel: {
                connection.interrupt(turn)
            }
        } catch {}
        return hasAnswered
    }

    private func begin(on connection: PostgresConnection) async throws {
        try await connection.open(until: end)
        if !(await connection.isPooled) {
            let liveness = Int64.random(in: .min ... .max)
            _ = try await connection.run(statements.showLiveness, [.integer(liveness)], until: end)
            state.withLock { $0.liveness = liveness }
        }
        try await catchUp(on: connection)
        markers.follow()
        tried()
    }

    /// Asks for what has changed since the last time.
    private func catchUp(on connection: PostgresConnection) async throws {
        let start = ContinuousTime.now
        let (before, lastAsked, age) = state.withLock { ($0.seen, $0.lastAsked, start &- $0.startedAt) }
        let rows =
            if let before {
                try await connection.run(statements.changes, [.text(before.snapshot)], until: end).rows
            } else {
                // Changes since the first listener came.
                try await connection.run(statements.recent, [.integer(Int64(clamping: age / 1_000_000))], until: end)
                    .rows
            }
        guard let seen = rows.first.flatMap(PostgresSight.init) else {
            throw PostgresError.unreachable("the server did not say what is visible")
        }
        if let before, !seen.continues(before) {
            // Snapshots of another server say nothing here.
            markers.forget()
            state.withLock { ($0.seen, $0.startedAt, $0.trimsFrom) = (nil, lastAsked, "0") }
            try await catchUp(on: connection)
            return markers.follow()
        }
        let changes = rows.dropFirst().map { StoreChange(row: $0) }
        for case let change? in changes { emit(change) }
        let isLate = before != nil && start &- lastAsked > WatchStatements.keptFor.wholeNanoseconds / 2
        // A row without a record says that records were removed.
        if isLate || changes.count >= WatchStatements.mostChanges || changes.contains(nil) {
            markers.forget()
            markers.follow()
        }
        state.withLock { ($0.seen, $0.lastAsked) = (seen, start) }
        markers.extend(until: start + validity.wholeNanoseconds)
    }

    /// Removes changes that everybody has had the time to hear of, unless another program is doing that.
    private func trim(on connection: PostgresConnection) async {
        guard state.withLock({ $0.trimsAt }) <= ContinuousTime.now else { return }
        for _ in 0..<WatchStatements.mostTrims {
            let from = state.withLock { $0.trimsFrom }
            guard let row = try? await connection.run(statements.trim, [.text(from)], until: end).first,
                let next = row.text(0), let count = row.integer(1)
            else { break }
            state.withLock { $0.trimsFrom = next }
            // The last ones wait for one that is later.
            guard count > WatchStatements.trimmedAtOnce / 2 else { break }
        }
        let pause = Duration.seconds(Double.random(in: 5...15))
        state.withLock { $0.trimsAt = ContinuousTime.now + pause.wholeNanoseconds }
    }

    private func emit(_ change: StoreChange) {
        markers.note(change)
        send(change)
    }

    private func lose() {
        markers.forget()
        state.withLock { $0.liveness = nil }
        tried()
    }

    private func tried() { state.withLock { $0.hasTried = true } }

    private var end: ContinuousClock.Instant { .now + min(validity, .seconds(5)) }
}

/// A snapshot of a server at one moment.
struct PostgresSight: Sendable, Equatable {
    /// PostgreSQL's `pg_snapshot`: `xmin:xmax:` and the transactions in between that were open.
    let snapshot: String
    private let next: UInt64
    /// When the server was started: another time is another server, or a server that was restored.
    private let server: String

    init?(snapshot: String, server: String) {
        let parts = snapshot.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let next = UInt64(parts[1]) else { return nil }
        (self.snapshot, self.next, self.server) = (snapshot, next, server)
    }

    fileprivate init?(row: PostgresRows.Row) {
        guard let snapshot = row.text(0), let server = row.text(1) else { return nil }
        self.init(snapshot: snapshot, server: server)
    }

    /// Whether whoever has seen `earlier` finds here all that came after it.
    func continues(_ earlier: PostgresSight) -> Bool { next >= earlier.next && server == earlier.server }
}

/// The statements of a watch.
private struct WatchStatements {
    /// More changes at once are not told one by one.
    static let mostChanges = 5_000
    /// How long a change is kept after it became visible, at least.
    static let keptFor = Duration.seconds(60)
    /// How many changes one statement removes, and how many of them follow each other.
    static let (trimmedAtOnce, mostTrims) = (1_000, 20)

    /// Rows of transactions to come are those of another server, from which the tables were restored.
    private static let next = "pg_snapshot_xmax(pg_current_snapshot())"

    let showLiveness = PostgresStatement(name: "liveness", text: "SELECT pg_advisory_lock($1::bigint)")
    /// Finds changes since a snapshot.
    let changes: PostgresStatement
    /// Finds changes of the last milliseconds, and perhaps a little before.
    let recent: PostgresStatement
    let trim: PostgresStatement

    init(_ tables: PostgresTables) {
        // The first row is always there, and has no change. Each record is looked up by its number, whatever the planner
        // takes for its number of rows.
        let select = { (conditions: [String]) in
            let rows = conditions.map {
                """
                (SELECT record FROM \(tables.changes)
                    WHERE \($0) AND written_by < \(Self.next) LIMIT \(Self.mostChanges))
                """
            }
            return """
                SELECT pg_current_snapshot()::text, pg_postmaster_start_time()::text, NULL::bytea, NULL::bigint, NULL::boolean
                UNION ALL
                SELECT found.collection, NULL, found.name, found.generation, found.has_content
                FROM (SELECT DISTINCT record FROM (\(rows.joined(separator: " UNION ALL "))) AS written) AS told
                LEFT JOIN LATERAL (
                    SELECT collection, name, generation, content IS NOT NULL AS has_content FROM \(tables.records)
                    WHERE number = told.record OFFSET 0) AS found ON true
                """
        }
        // Transactions that began after the snapshot, and those that were open then: each is found once, in whatever
        // order they end, and none again while another one stays open.
        changes = PostgresStatement(
            name: "changes",
            text: select([
                "written_by >= pg_snapshot_xmax($1::text::pg_snapshot)",
                "written_by = ANY (ARRAY (SELECT pg_snapshot_xip($1::text::pg_snapshot)))",
            ]))
        // The index knows transactions, not times.
        recent = PostgresStatement(
            name: "recent",
            text: select([
                """
                written_by >= greatest(\(Self.next)::text::bigint - 10000, 3)::text::xid8
                    AND written_at > clock_timestamp() - ($1::bigint + 100) * interval '1 millisecond'
                """
            ]))
        // The snapshot of an old row's writer is at least as old as the row. A row's own time says less: a commit may
        // have waited for a standby since.
        trim = PostgresStatement(
            name: "trim",
            text: """
                WITH batch AS (
                    SELECT ctid, written_by, oldest,
                        written_at < clock_timestamp() - interval '\(Self.keptFor.components.seconds) seconds' AS is_old
                    FROM \(tables.changes) WHERE written_by >= $1::text::xid8 AND written_by < \(Self.next)
                        AND (SELECT pg_try_advisory_xact_lock(hashtextextended('\(tables.changes)', 0)))
                    ORDER BY written_by LIMIT \(Self.trimmedAtOnce)),
                removed AS (
                    DELETE FROM \(tables.changes) WHERE ctid = ANY (ARRAY (
                        SELECT ctid FROM batch WHERE written_by < (
                            SELECT oldest FROM batch WHERE is_old ORDER BY oldest DESC LIMIT 1)))
                    RETURNING written_by),
                restored AS (DELETE FROM \(tables.changes) WHERE written_by >= \(Self.next))
                SELECT (SELECT written_by::text FROM removed ORDER BY removed.written_by DESC LIMIT 1),
                    (SELECT count(*) FROM removed)
                """)
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: UInt64 { UInt64(max(0, self / .nanoseconds(1))) }
}

extension StoreChange {
    /// The change in a row of ``WatchStatements/changes``.
    fileprivate init?(row: PostgresRows.Row) {
        guard let collection = row.text(0), let name = row.text(2),
            let generation = row.integer(3).flatMap({ UInt64(exactly: $0) }), let hasContent = row.flag(4)
        else { return nil }
        self.init(
            key: StoreKey(StoreKey.Collection(rawValue: collection), name), generation: generation,
            hasContent: hasContent)
    }
}
#endif
