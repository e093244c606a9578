#if PostgreSQL
import Foundation
import IdentityKit

/// Hears of the changes that other programs make: by notifications on a direct connection, through a pooler by asking from
/// time to time. A direct connection also shows the others that this program is alive.
final class PostgresWatch: Sendable {
    private struct State: Sendable {
        var task: Task<Void, Never>?
        /// When somebody first wanted to hear of changes.
        var startedAt: UInt64 = 0
        var hasTried = false
        /// The advisory lock that a direct connection holds.
        var liveness: Int64?
        /// What was visible when changes were last asked for.
        var snapshot: PostgresSnapshot?
        /// When that was.
        var lastAsked: UInt64 = 0
    }

    private enum Occasion: Hashable, Sendable { case firstAttempt }

    let markers = PostgresMarkers()
    private let address: PostgresAddress
    private let statements: WatchStatements
    private let validity: Duration
    private let send: @Sendable (StoreChange) -> Void
    private let state = Locked(State())
    private let waiters = TimedWaiters<Occasion>()

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

    /// What is sent to the server again and again.
    var allStatements: [PostgresStatement] { [statements.changes, statements.recent] }

    /// Begins to follow, once.
    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.startedAt = ContinuousTime.now
            state.task = Task { [self] in await follow() }
        }
    }

    /// Ends it.
    func stop() {
        state.withLock { $0.task }?.cancel()
    }

    /// The lock that others find taken while this program is alive; `nil` without a direct connection.
    func liveness() async -> Int64? {
        start()
        await waiters.wait(for: .firstAttempt, atMost: .seconds(1)) { self.state.withLock { $0.hasTried } }
        return currentLiveness
    }

    /// As ``liveness()``, without waiting for a connection.
    var currentLiveness: Int64? { state.withLock { $0.liveness } }

    // MARK: Following

    private func follow() async {
        var backoff = Self.backoff
        while !Task.isCancelled {
            do {
                let connection = try PostgresConnection(to: address)
                let turn = connection.beginTurn()
                try await withTaskCancellationHandler {
                    try await begin(on: connection)
                    backoff = Self.backoff
                    while !Task.isCancelled { try await listen(on: connection) }
                } onCancel: {
                    connection.interrupt(turn)
                }
            } catch {}
            lose()
            try? await Task.sleep(for: backoff.next() ?? .seconds(2))
        }
        lose()
    }

    private static var backoff: Backoff {
        Backoff(deadline: .seconds(30), first: .milliseconds(50), longest: .seconds(2))
    }

    private func begin(on connection: PostgresConnection) async throws {
        try await connection.open(until: end)
        if !(await connection.isPooled) {
            let liveness = Int64.random(in: .min ... .max)
            try await connection.run(script: statements.listen, until: end)
            _ = try await connection.run(statements.showLiveness, [.integer(liveness)], until: end)
            state.withLock { $0.liveness = liveness }
        }
        try await catchUp(on: connection)
        markers.follow()
        tried()
    }

    /// One round: what was told, or what is found by asking.
    private func listen(on connection: PostgresConnection) async throws {
        let pause = min(validity / 4, .seconds(1))
        if await connection.isPooled {
            try await Task.sleep(for: pause)
            return try await catchUp(on: connection)
        }
        let payloads = try await connection.notifications(until: .now + pause)
        for payload in payloads {
            // What is too long for a notification is found by asking.
            guard let change = StoreChange(payload: payload) else { return try await catchUp(on: connection) }
            tell(change)
        }
        if state.withLock({ $0.lastAsked }) + pause.wholeNanoseconds <= ContinuousTime.now {
            try await catchUp(on: connection)
        }
    }

    /// Asks for what has changed since the last time.
    private func catchUp(on connection: PostgresConnection) async throws {
        let start = ContinuousTime.now
        let (before, age) = state.withLock { ($0.snapshot, start &- $0.startedAt) }
        let rows =
            if let before {
                try await connection.run(statements.changes, [.text(before.text)], until: end).rows
            } else {
                // Those of the time since somebody wants to hear of them.
                try await connection.run(statements.recent, [.integer(Int64(clamping: age / 1_000_000))], until: end)
                    .rows
            }
        guard let snapshot = rows.first?.text(0).flatMap(PostgresSnapshot.init) else {
            throw PostgresFailure.unreachable("the server did not say what is visible")
        }
        for row in rows.dropFirst() {
            if let change = StoreChange(row: row) { tell(change) }
        }
        let mayHaveMissed = rows.count > WatchStatements.mostChanges || before.map(snapshot.isBehind) ?? false
        if mayHaveMissed {
            markers.forget()
            markers.follow()
        }
        state.withLock { ($0.snapshot, $0.lastAsked) = (snapshot, start) }
        markers.extend(until: start + validity.wholeNanoseconds)
    }

    private func tell(_ change: StoreChange) {
        markers.note(change)
        send(change)
    }

    private func lose() {
        markers.forget()
        state.withLock { $0.liveness = nil }
        tried()
    }

    private func tried() {
        state.withLock { $0.hasTried = true }
        waiters.wake(.firstAttempt)
    }

    private var end: ContinuousClock.Instant { .now + min(validity, .seconds(5)) }
}

/// What was visible at one moment: PostgreSQL's `pg_snapshot`, `xmin:xmax:` and the transactions in between.
struct PostgresSnapshot: Sendable, Equatable {
    let text: String
    private let next: UInt64

    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let next = UInt64(parts[1]) else { return nil }
        (self.text, self.next) = (text, next)
    }

    /// Whether the database has gone back since `earlier`, because a backup was restored.
    func isBehind(_ earlier: PostgresSnapshot) -> Bool { next < earlier.next }
}

/// The statements of a watch.
private struct WatchStatements {
    /// More changes at once are not told one by one.
    static let mostChanges = 5_000

    let listen: String
    let showLiveness = PostgresStatement(name: "liveness", text: "SELECT pg_advisory_lock($1::bigint)")
    /// What has changed since a snapshot.
    let changes: PostgresStatement
    /// What has changed in the last milliseconds, and perhaps a little before.
    let recent: PostgresStatement

    init(_ tables: PostgresTables) {
        listen = "LISTEN \(tables.channel)"
        // The first row is always there, and has no change.
        let select = { (condition: String) in
            """
            SELECT pg_current_snapshot()::text, NULL::text, NULL::bytea, NULL::bigint, NULL::boolean
            UNION ALL (
                SELECT NULL, collection, name, generation, content IS NOT NULL FROM \(tables.records)
                WHERE \(condition) LIMIT \(Self.mostChanges))
            """
        }
        changes = PostgresStatement(
            name: "changes",
            text: select(
                """
                written_by >= pg_snapshot_xmin($1::text::pg_snapshot)
                    AND NOT pg_visible_in_snapshot(written_by, $1::text::pg_snapshot)
                """))
        // The index knows transactions, not times.
        recent = PostgresStatement(
            name: "recent",
            text: select(
                """
                written_by >= greatest(pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 10000, 3)::text::xid8
                    AND written_at > clock_timestamp() - ($1::bigint + 100) * interval '1 millisecond'
                """))
    }
}

extension Duration {
    fileprivate var wholeNanoseconds: UInt64 { UInt64(max(0, self / .nanoseconds(1))) }
}

extension Data {
    /// The bytes that hexadecimal digits stand for.
    fileprivate init?(hex digits: Substring) {
        let digits = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}

extension StoreChange {
    /// The change in a notification: the generation, whether there is content, the collection and the name.
    fileprivate init?(payload: String) {
        let parts = payload.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 4, let generation = UInt64(parts[0]), StoreRecord.generations.contains(generation),
            let name = Data(hex: parts[3]).flatMap({ String(data: $0, encoding: .utf8) })
        else { return nil }
        let collection = StoreKey.Collection(rawValue: String(parts[2]))
        self.init(key: StoreKey(collection, name), generation: generation, hasContent: parts[1] == "1")
    }

    /// The change in a row of ``WatchStatements/changes``.
    fileprivate init?(row: PostgresRows.Row) {
        guard let collection = row.text(1), let name = row.text(2),
            let generation = row.integer(3).flatMap({ UInt64(exactly: $0) }), let hasContent = row.flag(4)
        else { return nil }
        self.init(
            key: StoreKey(StoreKey.Collection(rawValue: collection), name), generation: generation,
            hasContent: hasContent)
    }
}
#endif
