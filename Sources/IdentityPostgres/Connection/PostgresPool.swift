#if PostgreSQL
import Foundation
import IdentityKit

/// A limited number of connections. The pool opens a connection when a caller needs it, and lends it to one caller at a
/// time.
final class PostgresPool: Sendable {
    private typealias Waiter = CheckedContinuation<Loan, any Error>

    /// An idle connection, and the time when its last caller gave it back.
    private struct Idle: Sendable {
        let connection: PostgresConnection
        let since = ContinuousClock.now
    }

    /// The answer to a caller: a connection, or permission to open one.
    private enum Loan: Sendable {
        case connection(PostgresConnection)
        case place
    }

    private struct State: Sendable {
        /// Idle connections. The last one was used most recently and is lent next.
        var idle: [Idle] = []
        /// Number of connections, including those being opened.
        var count = 0
        var waiters = WaiterQueue<Waiter>()
        var nextNumber: UInt64 = 0
        /// Number of statements that the database has carried out.
        var results: UInt64 = 0
        /// Number of times each statement was sent, by its name.
        var sent: [String: Int] = [:]
    }

    let address: PostgresAddress
    /// Time limit of a statement, including the wait for a connection.
    let deadline: Duration
    let limit: Int
    private let tables: PostgresTables
    /// Time that the server has for ending an abandoned statement, before the pool closes the connection. Until then
    /// the connection counts as used.
    private static let longestSettling = Duration.seconds(30)
    /// Time after which an idle connection may be closed. Each return of a connection closes at most one idle
    /// connection, the one that has been idle longest.
    private static let longestIdleness = Duration.seconds(60)
    private let state = Locked(State())

    init(_ address: PostgresAddress, _ tables: PostgresTables, limit: Int, deadline: Duration) {
        self.address = address
        self.tables = tables
        self.limit = max(limit, 1)
        self.deadline = deadline
    }

    /// Number of times each statement was sent, by its name.
    var sentStatements: [String: Int] { state.withLock { $0.sent } }

    /// Number of connections in use, and of callers that wait for one.
    var load: (inUse: Int, waiting: Int) { state.withLock { ($0.count - $0.idle.count, $0.waiters.count) } }

    /// Runs a statement, and returns its result.
    /// - Parameters:
    ///   - statement: the statement, which a direct connection prepares at its first use.
    ///   - values: the values of its parameters `$1`, `$2` and so on.
    ///   - isRepeatable: whether the statement may be sent twice, and abandoned when the task is cancelled. If `false`,
    ///     the method waits for the result of a sent statement even after a cancellation.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    func run(
        _ statement: PostgresStatement, _ values: [PostgresValue], isRepeatable: Bool = false
    ) async throws -> PostgresRows {
        let end = ContinuousClock.now + deadline
        do {
            return try await runOnce(statement, values, until: end, isInterruptible: isRepeatable)
        } catch TokenStoreError.unavailable where isRepeatable && !Task.isCancelled && ContinuousClock.now < end {
            // Try again, because the server may have ended the connection a moment ago.
            return try await runOnce(statement, values, until: end, isInterruptible: true)
        }
    }

    private func runOnce(
        _ statement: PostgresStatement, _ values: [PostgresValue], until end: ContinuousClock.Instant,
        isInterruptible: Bool
    ) async throws -> PostgresRows {
        try await lending(until: end) { connection in
            state.withLock { $0.sent[statement.name, default: 0] += 1 }
            let turn = connection.beginTurn()
            return await withTaskCancellationHandler {
                await Self.result { () throws(PostgresError) in
                    try await connection.run(statement, values, until: end)
                }
            } onCancel: {
                if isInterruptible { connection.interrupt(turn) }
            }
        }
    }

    /// Runs a script of several statements as one transaction, which may take up to `deadline`.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    func run(script: String, deadline: Duration) async throws {
        let end = ContinuousClock.now + deadline
        _ = try await lending(until: .now + self.deadline) { connection in
            await Self.result { () throws(PostgresError) in
                try await connection.run(script: script, until: end)
                return PostgresRows(rows: [])
            }
        }
    }

    private static func result(
        _ body: () async throws(PostgresError) -> PostgresRows
    ) async -> Result<PostgresRows, PostgresError> {
        do throws(PostgresError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private func lending(
        until end: ContinuousClock.Instant,
        _ body: (PostgresConnection) async -> Result<PostgresRows, PostgresError>
    ) async throws -> PostgresRows {
        let connection = try await borrow(until: end)
        let result = await body(connection)
        switch result {
        case .success:
            state.withLock { $0.results += 1 }
            giveBack(connection)
        case .failure(let failure) where failure.leavesConnectionUsable: giveBack(connection)
        case .failure(.timedOut), .failure(.interrupted):
            Task {
                guard await connection.settle(until: .now + Self.longestSettling) else { return giveUpPlace() }
                giveBack(connection)
            }
        case .failure: giveUpPlace()
        }
        do {
            return try result.get()
        } catch {
            throw error.error(at: address.place, role: address.role, tables: tables)
        }
    }

    // MARK: Borrowing

    private func borrow(until end: ContinuousClock.Instant) async throws -> PostgresConnection {
        switch try await loan(until: end) {
        case .place: return try await connect(until: end)
        case .connection(let connection):
            // The server may have been restarted since the connection was used.
            guard await connection.isGone() else { return connection }
            return try await connect(until: end)
        }
    }

    /// Opens a connection that the pool already counts. While the server is down, repeats the attempt with growing
    /// pauses. On failure, the pool no longer counts the connection.
    private func connect(until end: ContinuousClock.Instant) async throws -> PostgresConnection {
        do {
            return try await Backoff.result(
                within: deadline, from: .milliseconds(20), to: .seconds(1),
                whereErrorPasses: { ($0 as? PostgresError)?.passes == true && ContinuousClock.now + $1 < end },
                pausing: { try await Task.sleep(for: $0) }
            ) {
                let connection = try PostgresConnection(to: address, limit: deadline)
                try await connection.open(until: end)
                return connection
            }
        } catch {
            giveUpPlace()
            guard let failure = error as? PostgresError else { throw error }
            throw failure.error(at: address.place, role: address.role, tables: tables)
        }
    }

    private func loan(until end: ContinuousClock.Instant) async throws -> Loan {
        let (loan, number, results) = state.withLock { state -> (Loan?, UInt64, UInt64) in
            if let idle = state.idle.popLast() { return (.connection(idle.connection), 0, 0) }
            state.nextNumber += 1
            guard state.count >= limit else {
                state.count += 1
                return (.place, 0, 0)
            }
            return (nil, state.nextNumber, state.results)
        }
        if let loan { return loan }
        let timer = Task { [weak self] in
            try await Task.sleep(until: end, clock: .continuous)
            if let self { fail(number, with: late(since: results)) }
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(continuation, as: number, until: end, orThrow: late(since: results))
            }
        } onCancel: {
            fail(number, with: CancellationError())
        }
    }

    /// Returns the error of a caller that has waited for a connection in vain. More connections help only if the database
    /// has carried out statements meanwhile.
    private func late(since results: UInt64) -> TokenStoreError {
        let responds = state.withLock { $0.results != results }
        return .unavailable(
            place: address.place,
            detail: responds
                ? "all \(limit) connections of this process were in use. Raise \"maximumConnections\""
                : "none of the \(limit) connections of this process had a result within \"deadline\"")
    }

    private func wait(
        _ waiter: Waiter, as number: UInt64, until end: ContinuousClock.Instant, orThrow late: any Error
    ) {
        let loan = state.withLock { state -> Result<Loan, any Error>? in
            // Check here, because the cancellation handler finds only callers that already wait.
            if Task.isCancelled { return .failure(CancellationError()) }
            if ContinuousClock.now >= end { return .failure(late) }
            // If a connection has become free meanwhile, use it.
            if let idle = state.idle.popLast() { return .success(.connection(idle.connection)) }
            if state.count < limit {
                state.count += 1
                return .success(.place)
            }
            state.waiters.append(waiter, as: number)
            return nil
        }
        if let loan { waiter.resume(with: loan) }
    }

    private func fail(_ number: UInt64, with error: any Error) {
        state.withLock { $0.waiters.remove(number) }?.resume(throwing: error)
    }

    private func giveBack(_ connection: PostgresConnection) {
        let (waiter, closed) = state.withLock { state -> (Waiter?, Idle?) in
            if let waiter = state.waiters.removeFirst() { return (waiter, nil) }
            state.idle.append(Idle(connection: connection))
            guard let oldest = state.idle.first, oldest.since + Self.longestIdleness < .now else { return (nil, nil) }
            state.count -= 1
            return (nil, state.idle.removeFirst())
        }
        waiter?.resume(returning: .connection(connection))
        // Releasing the connection closes it, which may block, so do that here and not under the lock.
        withExtendedLifetime(closed) {}
    }

    /// Permits the next caller to open a connection in place of a closed one. If no caller waits, lowers the number of
    /// connections.
    private func giveUpPlace() {
        let waiter = state.withLock { state -> Waiter? in
            if let waiter = state.waiters.removeFirst() { return waiter }
            state.count -= 1
            return nil
        }
        waiter?.resume(returning: .place)
    }
}
#endif
