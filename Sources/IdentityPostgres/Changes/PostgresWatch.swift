#if PostgreSQL
import Foundation
import IdentityKit

/// A watch that receives the changes of other programs. Each write or removal of a record adds a row to the table of
/// changes, which the watch polls over a connection of its own. Without a pooler, the connection also holds an advisory
/// lock, which shows other programs that this program is alive.
final class PostgresWatch: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        /// The time of the first ``start()``; after the server was restarted or replaced, the time of the last poll of
        /// the earlier server. The first poll of a server fetches the changes since this time.
        var startedAt: UInt64 = 0
        var hasTried = false
        /// The number of the advisory lock that the connection holds; `nil` without a connection, or through a pooler.
        var liveness: Int64?
        /// The server's snapshot at the last poll; `nil` before the first poll of a server.
        var seen: PostgresSight?
        var lastAsked: UInt64 = 0
        /// The time at which this program next removes old rows from the table of changes.
        var trimsAt: UInt64 = 0
        /// The transaction with which the next removal of old rows begins. Earlier transactions have no rows left.
        var trimsFrom = "0"
    }

    let markers = PostgresMarkers()
    private let address: PostgresAddress
    private let statements: WatchStatements
    private let validity: Duration
    private let send: @Sendable (StoreChange) -> Void
    private let missed: @Sendable () -> Void
    private let now: @Sendable () -> UInt64
    private let state = Locked(State())

    /// Creates a watch, which does not connect before ``start()`` or ``liveness()``.
    /// - Parameters:
    ///   - address: the address of the server, or of a pooler.
    ///   - tables: the tables of the store.
    ///   - validity: how long markers stay valid after the beginning of a poll that the server has answered.
    ///   - send: receives every change that a poll finds.
    ///   - missed: called when changes may have been missed, before later changes are sent.
    ///   - now: returns the time, as `ContinuousTime` does.
    init(
        _ address: PostgresAddress, _ tables: PostgresTables, validity: Duration,
        send: @escaping @Sendable (StoreChange) -> Void, missed: @escaping @Sendable () -> Void,
        now: @escaping @Sendable () -> UInt64 = { ContinuousTime.now }
    ) {
        self.address = address
        self.validity = validity
        self.send = send
        self.missed = missed
        self.now = now
        statements = WatchStatements(tables)
    }

    /// The statements that the watch sends repeatedly. Does not include `showLiveness`, which is sent once per connection.
    var allStatements: [PostgresStatement] {
        [statements.changes, statements.recent, statements.current, statements.trim]
    }

    /// Starts the watch. Does nothing if the watch was started before.
    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.startedAt = now()
            state.task = Task { [self] in await follow() }
        }
    }

    func stop() {
        state.withLock { $0.task }?.cancel()
    }

    /// Starts the watch, and waits up to one second for the end of its first attempt to connect.
    /// - Returns: the number of the advisory lock that other programs find taken while this program is alive; `nil` without
    ///   a direct connection.
    func liveness() async -> Int64? {
        start()
        try? await Backoff.result(
            within: .seconds(1), to: .milliseconds(20), pausing: { try await Task.sleep(for: $0) }
        ) {
            state.withLock { $0.hasTried } ? () : nil
        }
        return currentLiveness
    }

    /// The number of the lock as ``liveness()`` returns it, but without waiting for a connection.
    var currentLiveness: Int64? { state.withLock { $0.liveness } }

    // MARK: Following

    private func follow() async {
        while !Task.isCancelled {
            // Lengthen the pauses between attempts until an attempt has reached the server.
            try? await Backoff.result(
                within: .seconds(Int64.max), from: .milliseconds(50), to: .seconds(2),
                pausing: { try await Task.sleep(for: $0) }
            ) { await followOnce() ? () : nil }
            try? await Task.sleep(for: .milliseconds(50))
        }
        lose()
    }

    /// Connects, and polls over this connection until it is lost or the task is cancelled.
    /// - Returns: whether the connection was opened and the first poll answered.
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
        tried()
    }

    /// Polls once: sends the changes since the last poll to the listeners and the markers, and extends the validity of the
    /// markers. If changes may have been missed, all markers change, and the choice of the active account in every profile is
    /// sent as a change. While this library does not understand the version of the tables, only makes all markers invalid.
    /// - Throws: `PostgresError`, such as for a lost connection, an interruption or a malformed response.
    private func catchUp(on connection: PostgresConnection) async throws {
        let start = now()
        let (before, lastAsked, age) = state.withLock { ($0.seen, $0.lastAsked, start &- $0.startedAt) }
        let rows =
            if let before {
                try await connection.run(statements.changes, [.text(before.snapshot)], until: end).rows
            } else {
                // At the first poll of a server, fetch the changes since `startedAt`.
                try await connection.run(statements.recent, [.integer(Int64(clamping: age / 1_000_000))], until: end)
                    .rows
            }
        guard let seen = rows.first.flatMap(PostgresSight.init) else {
            throw PostgresError.unreachable("the server did not say what is visible")
        }
        // The connection stays open, because the leases of refreshes that have begun depend on it.
        guard rows.first?.flag(4) == true else { return markers.forget() }
        if let before, !seen.continues(before) {
            // The server was restarted, restored or replaced, so the earlier snapshot has no meaning for it.
            markers.forget()
            state.withLock { ($0.seen, $0.startedAt, $0.trimsFrom) = (nil, lastAsked, "0") }
            return try await catchUp(on: connection)
        }
        let changes = rows.dropFirst().map { StoreChange(row: $0) }
        // Other programs may have removed changes that this poll was to find. Before the first poll, `lastAsked` is zero.
        let isLate = min(start &- lastAsked, age) > WatchStatements.keptFor.wholeNanoseconds / 2
        // The former connection may have ended because a process of the server crashed. The server then empties the table
        // of changes, which is unlogged. The start time of the server stays the same, so `continues(_:)` does not notice
        // the crash. A replaced server may have lost changes, too.
        let mayBeEmptied = markers.epoch == nil && lastAsked > 0
        let mayBeCut = rows.first?.integer(3) ?? 0 >= WatchStatements.mostChanges
        // A row without a record stands for a removed record. The key of that record is unknown, so its change cannot be sent.
        let mayBeIncomplete = isLate || mayBeEmptied || mayBeCut || changes.contains(nil)
        if mayBeIncomplete { missed() }
        for case let change? in changes { emit(change) }
        if mayBeIncomplete {
            markers.forget()
            try await sendCurrentAccounts(over: connection)
        }
        state.withLock { ($0.seen, $0.lastAsked) = (seen, start) }
        markers.extend(until: start + validity.wholeNanoseconds)
        markers.follow()
    }

    /// Reports each record that holds the active account of a profile to the listeners as changed, whether or not it has
    /// changed. `IdentityClient` keeps the active account in memory, so after a missed change it would use the wrong one.
    private func sendCurrentAccounts(over connection: PostgresConnection) async throws {
        let rows = try await connection.run(statements.current, [], until: end).rows
        for case let change? in rows.map({ StoreChange(row: $0) }) { send(change) }
    }

    /// Removes changes that all programs have had time to receive, unless the markers are invalid or another program is
    /// removing them. Errors are ignored, because the next removal tries again.
    private func trim(on connection: PostgresConnection) async {
        guard markers.epoch != nil, state.withLock({ $0.trimsAt }) <= now() else { return }
        for _ in 0..<WatchStatements.mostTrims {
            let from = state.withLock { $0.trimsFrom }
            guard let row = try? await connection.run(statements.trim, [.text(from)], until: end).first,
                let next = row.text(0), let count = row.integer(1)
            else { break }
            state.withLock { $0.trimsFrom = next }
            // After a small batch, wait until more old rows have accumulated.
            guard count > WatchStatements.trimmedAtOnce / 2 else { break }
        }
        let pause = Duration.seconds(Double.random(in: 5...15))
        state.withLock { $0.trimsAt = now() + pause.wholeNanoseconds }
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

/// The server and its snapshot at the time of a poll: the transactions whose changes the poll could see.
struct PostgresSight: Sendable, Equatable {
    /// The text of a `pg_snapshot` of PostgreSQL: `xmin:xmax:` and the transactions between them that were open.
    let snapshot: String
    private let next: UInt64
    /// The start time of the server, which differs after a restart and for another or a restored server.
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

    /// Returns whether this snapshot continues `earlier`, so that a poll can fetch the changes between the two: the server is
    /// the same, and the numbers of its transactions have not gone back.
    func continues(_ earlier: PostgresSight) -> Bool { next >= earlier.next && server == earlier.server }
}

private struct WatchStatements {
    /// The largest number of changes that one poll fetches for each condition of its query. If a poll fetches that many in all,
    /// further changes may be missing, so all markers change.
    static let mostChanges: Int64 = 5_000
    /// The shortest time for which a change stays in the table after it became visible.
    static let keptFor = Duration.seconds(60)
    /// The largest number of changes that one statement removes, and the largest number of such statements in a row.
    static let (trimmedAtOnce, mostTrims) = (1_000, 20)

    /// The transaction number after the highest one that has ended on this server. A visible row with this or a higher
    /// number was written on another server, from which the tables were restored.
    private static let next = "pg_snapshot_xmax(pg_current_snapshot())"

    let showLiveness = PostgresStatement(name: "liveness", text: "SELECT pg_advisory_lock($1::bigint)")
    /// Fetches the changes since the snapshot `$1`.
    let changes: PostgresStatement
    /// Fetches the changes of the last `$1` + 100 milliseconds, but only those of the last 10,000 transactions.
    let recent: PostgresStatement
    /// Fetches the records that name the active accounts, in the form of changes.
    let current: PostgresStatement
    let trim: PostgresStatement

    init(_ tables: PostgresTables) {
        // The first condition finds the transactions from the snapshot's `xmax` on, and the second the earlier ones that were
        // open in the snapshot. Each transaction is found by exactly one poll, in whatever order the transactions end.
        changes = PostgresStatement(
            name: "changes",
            text: Self.query(
                in: tables,
                where: [
                    "written_by >= pg_snapshot_xmax($1::text::pg_snapshot)",
                    "written_by = ANY (ARRAY (SELECT pg_snapshot_xip($1::text::pg_snapshot)))",
                ]))
        // The condition on transactions limits the rows to search, because the index contains transactions and no times.
        recent = PostgresStatement(
            name: "recent",
            text: Self.query(
                in: tables,
                where: [
                    """
                    written_by >= greatest(\(Self.next)::text::bigint - 10000, 3)::text::xid8
                        AND written_at > clock_timestamp() - ($1::bigint + 100) * interval '1 millisecond'
                    """
                ]))
        current = PostgresStatement(
            name: "current",
            text: """
                SELECT collection, NULL, name, generation, content IS NOT NULL FROM \(tables.records)
                WHERE collection = '\(StoreKey.Collection.currentAccounts.rawValue)'
                """)
        trim = Self.removal(from: tables)
    }

    /// Returns a query for the changes that meet one of the conditions. The first row of the result always exists. It
    /// contains the server's snapshot, the server's start time, the number of changes, and whether this library understands
    /// the tables, but no change. Tables that this library does not understand are not searched for changes. The subquery with
    /// `OFFSET 0` makes the server look up each record by its number, whatever the planner's estimates are.
    private static func query(in tables: PostgresTables, where conditions: [String]) -> String {
        let rows = conditions.map {
            """
            (SELECT record FROM \(tables.changes)
                WHERE \($0) AND written_by < \(Self.next) AND (SELECT is_so FROM understood) LIMIT \(Self.mostChanges))
            """
        }
        return """
            WITH understood AS MATERIALIZED (SELECT \(PostgresSchema(tables).isUnderstood) AS is_so),
                written AS MATERIALIZED (\(rows.joined(separator: " UNION ALL ")))
            SELECT pg_current_snapshot()::text, pg_postmaster_start_time()::text, NULL::bytea,
                (SELECT count(*) FROM written), (SELECT is_so FROM understood)
            UNION ALL
            SELECT found.collection, NULL, found.name, found.generation, found.has_content
            FROM (SELECT DISTINCT record FROM written) AS told
            LEFT JOIN LATERAL (
                SELECT collection, name, generation, content IS NOT NULL AS has_content FROM \(tables.records)
                WHERE number = told.record OFFSET 0) AS found ON true
            """
    }

    /// Returns the statement that removes old rows from the table of changes. The time in a row does not show when its change
    /// became visible, because the commit may have waited for a standby. Therefore the statement uses the column `oldest`: all
    /// transactions with lower numbers had ended when the row was written. Once the row is older than ``keptFor``, the changes
    /// of those transactions have been visible for at least that time, and can be removed. The statement also removes all rows
    /// that were written on another server, from which the tables were restored.
    private static func removal(from tables: PostgresTables) -> PostgresStatement {
        PostgresStatement(
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
    /// Decodes the change in a row of ``WatchStatements/changes``, ``WatchStatements/recent`` or
    /// ``WatchStatements/current``; `nil` if the record was removed.
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
