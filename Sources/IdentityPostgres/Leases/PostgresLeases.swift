#if PostgreSQL
import Foundation
import IdentityKit

/// The leases of this program. Each lease is a row that expires, by the clock of the database, four seconds after it was
/// last extended.
///
/// With a direct connection, a row also contains the number of an advisory lock that this program holds. When the
/// program dies, the server releases the lock, and the leases are free at once. A lease grants only the right to send a
/// refresh token. A write depends only on the record's generation, so a holder that lost its connection can still store
/// its result.
final class PostgresLeases: Sendable {
    private struct Held: Sendable {
        let claim: Int64
        /// The time at which the latest statement that confirmed the lease was sent; `nil` while the lease is being
        /// claimed. After another program has taken over the lease, this time is so early that the lease counts as expired.
        var confirmed: ContinuousClock.Instant?
    }

    private struct State: Sendable {
        var held: [StoreKey: Held] = [:]
        /// Ended leases whose rows may still exist: the claim, which is the random number of the lease, and the record's key.
        var over: [Int64: StoreKey] = [:]
        var keeper: Task<Void, Never>?
        var takeovers = 0
    }

    private static let pause = Duration.seconds(1)

    private let pool: PostgresPool
    private let watch: PostgresWatch
    private let statements: LeaseStatements
    private let holder: Data
    /// Duration of a lease without an extension: four seconds, except in tests.
    private let duration: Duration
    private let state = Locked(State())

    init(_ pool: PostgresPool, _ tables: PostgresTables, for duration: Duration, watch: PostgresWatch) {
        self.duration = duration
        self.pool = pool
        self.watch = watch
        statements = LeaseStatements(tables)
        holder = withUnsafeBytes(of: UUID().uuid) { Data($0) }
    }

    deinit { state.withLock { $0.keeper }?.cancel() }

    /// Number of leases that replaced the row of an earlier lease, because the earlier holder, perhaps this program, had
    /// not released that lease.
    var takeovers: Int { state.withLock { $0.takeovers } }

    /// Statements about leases, for showing the server's plans.
    var allStatements: [PostgresStatement] { statements.all }

    /// Claims the lease on `key`; returns `nil` while another caller or program holds it.
    /// - Parameters:
    ///   - key: the key of the leased record.
    ///   - write: writes the record for the holder of the lease.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    func lease(
        for key: StoreKey, writing write: @escaping PostgresLease.Write
    ) async throws -> PostgresLease? {
        let claim = Int64.random(in: 1 ... .max)
        let isFree = state.withLock { state in
            guard state.held[key] == nil else { return false }
            state.held[key] = Held(claim: claim)
            return true
        }
        guard isFree else { return nil }
        do {
            let liveness = await watch.liveness()
            let sent = ContinuousClock.now
            let rows = try await pool.run(
                statements.take,
                RecordStatements.place(of: key) + [
                    .bytes(holder), .integer(claim), liveness.map(PostgresValue.integer) ?? .null,
                    .integer(duration.wholeMilliseconds),
                ], isRepeatable: true)
            guard let row = rows.first else {
                state.withLock { $0.held[key] = nil }
                return nil
            }
            note([claim], of: [claim], since: sent)
            if row.flag(1) == true { state.withLock { $0.takeovers += 1 } }
        } catch {
            // The row of the lease may exist despite the error.
            giveBack(claim, of: key)
            throw error
        }
        keep()
        return PostgresLease(leases: self, key: key, claim: claim, write: write)
    }

    /// Ends a lease, and deletes its row, so that other callers can claim the lease. If the row cannot be deleted now, further
    /// attempts follow every second, and the row expires because it is not extended.
    func release(_ claim: Int64, of key: StoreKey) async {
        giveBack(claim, of: key)
        await endThoseOver()
    }

    /// Records that the statement of a write has deleted the lease's row, so that no later statement has to delete it.
    func isOver(_ claim: Int64, of key: StoreKey) {
        state.withLock { if $0.held[key]?.claim == claim { $0.held[key] = nil } }
    }

    /// Whether the database has confirmed the lease within the last `duration`. Changes of the system's date have no effect.
    fileprivate func isConfirmed(_ claim: Int64, of key: StoreKey) -> Bool {
        guard let held = state.withLock({ $0.held[key] }), held.claim == claim, let confirmed = held.confirmed else {
            return false
        }
        return ContinuousClock.now < confirmed + duration
    }

    /// Records which of `claims` the database has confirmed. The others count as expired, because their rows are gone
    /// or have another holder.
    /// - Parameter sent: the time when the confirming statement was sent.
    private func note(_ confirmed: Set<Int64>, of claims: [Int64], since sent: ContinuousClock.Instant) {
        state.withLock { state in
            for (key, held) in state.held where claims.contains(held.claim) {
                state.held[key]?.confirmed = confirmed.contains(held.claim) ? sent : sent - duration
            }
        }
    }

    /// Ends a lease without waiting: another task deletes the row of the lease.
    func drop(_ claim: Int64, of key: StoreKey) {
        guard giveBack(claim, of: key) else { return }
        Task { await endThoseOver() }
    }

    @discardableResult
    private func giveBack(_ claim: Int64, of key: StoreKey) -> Bool {
        state.withLock { state in
            guard state.held[key]?.claim == claim else { return false }
            state.held[key] = nil
            state.over[claim] = key
            return true
        }
    }

    private func endThoseOver() async {
        for (claim, key) in state.withLock({ $0.over }) {
            let values = RecordStatements.place(of: key) + [.integer(claim)]
            guard (try? await pool.run(statements.end, values)) != nil else { return keep() }
            state.withLock { _ = $0.over.removeValue(forKey: claim) }
        }
    }

    // MARK: Extending

    /// Starts the task that extends the leases every second, unless it runs already or has nothing to do.
    private func keep() {
        state.withLock { state in
            guard state.keeper == nil, !state.held.isEmpty || !state.over.isEmpty else { return }
            state.keeper = Task { [weak self] in
                while (try? await Task.sleep(for: Self.pause)) != nil, await self?.keepOnce() == true {}
            }
        }
    }

    /// Extends all leases once, and deletes the rows of ended ones.
    /// - Returns: whether leases to extend or rows to delete are left.
    private func keepOnce() async -> Bool {
        await endThoseOver()
        // Leave out a lease that is being claimed: if it has no row yet, the statement does not return it, and it would count
        // as expired.
        let claims = state.withLock { $0.held.values.compactMap { $0.confirmed == nil ? nil : $0.claim } }
        if !claims.isEmpty {
            let sent = ContinuousClock.now
            // The statement does not change a lease that another holder has taken over.
            let extended = try? await pool.run(
                statements.extend,
                [
                    .bytes(holder), .text("{\(claims.map(String.init).joined(separator: ","))}"),
                    watch.currentLiveness.map(PostgresValue.integer) ?? .null,
                    .integer(duration.wholeMilliseconds),
                ])
            if let extended { note(Set(extended.rows.compactMap { $0.integer(0) }), of: claims, since: sent) }
        }
        return state.withLock { state in
            if state.held.isEmpty, state.over.isEmpty { state.keeper = nil }
            return state.keeper != nil
        }
    }
}

/// A lease that has a row in the database. Deallocating this object ends the lease.
final class PostgresLease: StoreLease {
    /// Replaces the given generation of the record by a version with the content; `nil` as content erases the record.
    /// Ends the lease with the given claim in the same statement; `nil` as claim ends no lease.
    typealias Write = @Sendable (Data?, UInt64, Int64?) async throws -> StoreRecord

    private let leases: PostgresLeases
    private let key: StoreKey
    private let claim: Int64
    private let write: Write

    fileprivate init(leases: PostgresLeases, key: StoreKey, claim: Int64, write: @escaping Write) {
        self.leases = leases
        self.key = key
        self.claim = claim
        self.write = write
    }

    deinit { leases.drop(claim, of: key) }

    var isConfirmed: Bool { leases.isConfirmed(claim, of: key) }

    func write(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await write(content, generation, nil)
    }

    func writeLast(_ content: Data?, replacing generation: UInt64) async throws -> StoreRecord {
        try await write(content, generation, claim)
    }

    func release() async { await leases.release(claim, of: key) }
}

private struct LeaseStatements {
    let take: PostgresStatement
    let extend: PostgresStatement
    let end: PostgresStatement

    var all: [PostgresStatement] { [take, extend, end] }

    init(_ tables: PostgresTables) {
        let leases = tables.leases
        // The subquery reads the row first, so that callers who find the lease taken neither lock nor write the row. A
        // row with the same holder may be replaced: it is from a former lease, because a program has only one lease on a
        // record at a time.
        take = PostgresStatement(
            name: "take",
            text: """
                INSERT INTO \(leases) AS lease (collection, id, holder, claim, liveness, ends_at)
                SELECT $1::text, $2::bytea, $3::bytea, $4::bigint, $5::bigint,
                    clock_timestamp() + $6::bigint * interval '1 millisecond'
                WHERE NOT EXISTS (
                    SELECT 1 FROM \(leases) WHERE collection = $1::text AND id = $2::bytea AND holder <> $3::bytea
                        AND ends_at > clock_timestamp()
                        AND (liveness IS NULL OR NOT pg_try_advisory_xact_lock_shared(liveness)))
                ON CONFLICT (collection, id) DO UPDATE SET holder = excluded.holder, claim = excluded.claim,
                    liveness = excluded.liveness, ends_at = excluded.ends_at
                WHERE lease.holder = excluded.holder OR lease.ends_at <= clock_timestamp()
                    OR (lease.liveness IS NOT NULL AND pg_try_advisory_xact_lock_shared(lease.liveness))
                RETURNING claim, xmax <> 0
                """)
        extend = PostgresStatement(
            name: "extend",
            text: """
                UPDATE \(leases) SET liveness = $3::bigint, ends_at = clock_timestamp() + $4::bigint * interval '1 millisecond'
                WHERE holder = $1::bytea AND claim = ANY ($2::text::bigint[])
                RETURNING claim
                """)
        end = PostgresStatement(
            name: "end",
            text: "DELETE FROM \(leases) WHERE collection = $1::text AND id = $2::bytea AND claim = $3::bigint")
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 { Int64(max(0, self / .milliseconds(1))) }
}
#endif
