#if PostgreSQL
import Foundation
import IdentityKit

/// A bounded number of connections, made when they are needed and lent to one caller at a time.
final class PostgresPool: Sendable {
    private struct Waiter: Sendable {
        let number: UInt64
        let continuation: CheckedContinuation<Loan, any Error>
    }

    /// What a caller gets: a connection, or the right to make one.
    private enum Loan: Sendable {
        case connection(PostgresConnection)
        case place
    }

    private struct State: Sendable {
        var idle: [PostgresConnection] = []
        /// The connections that exist or are being made.
        var count = 0
        var waiters: [Waiter] = []
        var nextNumber: UInt64 = 0
        var statements: UInt64 = 0
    }

    let address: PostgresAddress
    /// How long a statement may take, with the wait for a connection.
    let deadline: Duration
    private let limit: Int
    private let state = Locked(State())

    init(_ address: PostgresAddress, limit: Int, deadline: Duration) {
        self.address = address
        self.limit = max(limit, 1)
        self.deadline = deadline
    }

    /// How many statements were sent.
    var statementCount: UInt64 { state.withLock { $0.statements } }

    /// The result of a statement.
    /// - Parameters:
    ///   - statement: the statement.
    ///   - values: its parameters.
    ///   - isRepeatable: whether nothing is lost when it is sent twice, or abandoned when the task is cancelled. Other
    ///     statements are waited for once they are sent.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    func run(
        _ statement: PostgresStatement, _ values: [PostgresValue], isRepeatable: Bool = false
    ) async throws -> PostgresRows {
        do {
            return try await runOnce(statement, values, isInterruptible: isRepeatable)
        } catch TokenStoreError.unavailable where isRepeatable && !Task.isCancelled {
            // The server may have ended the connection a moment before.
            return try await runOnce(statement, values, isInterruptible: true)
        }
    }

    private func runOnce(
        _ statement: PostgresStatement, _ values: [PostgresValue], isInterruptible: Bool
    ) async throws -> PostgresRows {
        try await lending { connection, end in
            let turn = connection.beginTurn()
            return await withTaskCancellationHandler {
                await Self.result { () throws(PostgresFailure) in
                    try await connection.run(statement, values, until: end)
                }
            } onCancel: {
                if isInterruptible { connection.interrupt(turn) }
            }
        }
    }

    /// Runs a script of several statements as one transaction, for as long as it takes up to `deadline`.
    /// - Throws: `TokenStoreError`, `CancellationError`.
    func run(script: String, deadline: Duration) async throws {
        let end = ContinuousClock.now + deadline
        _ = try await lending { connection, _ in
            await Self.result { () throws(PostgresFailure) in
                try await connection.run(script: script, until: end)
                return PostgresRows(rows: [])
            }
        }
    }

    private static func result(
        _ body: () async throws(PostgresFailure) -> PostgresRows
    ) async -> Result<PostgresRows, PostgresFailure> {
        do throws(PostgresFailure) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    private func lending(
        _ body: (PostgresConnection, ContinuousClock.Instant) async -> Result<PostgresRows, PostgresFailure>
    ) async throws -> PostgresRows {
        let end = ContinuousClock.now + deadline
        let connection = try await borrow(until: end)
        state.withLock { $0.statements += 1 }
        let result = await body(connection, end)
        switch result {
        case .success: giveBack(connection)
        case .failure(let failure) where failure.leavesConnectionUsable: giveBack(connection)
        case .failure: giveUpPlace()
        }
        do {
            return try result.get()
        } catch {
            throw error.error(at: address.place, role: address.role)
        }
    }

    // MARK: Borrowing

    private func borrow(until end: ContinuousClock.Instant) async throws -> PostgresConnection {
        switch try await loan(until: end) {
        case .place: return try await connect(until: end)
        case .connection(let connection):
            // The server may have been restarted since it was used.
            guard await connection.isGone() else { return connection }
            return try await connect(until: end)
        }
    }

    /// A new connection for a place that is taken already. While the server is not there, attempts follow each other with
    /// growing pauses.
    private func connect(until end: ContinuousClock.Instant) async throws -> PostgresConnection {
        var backoff = Backoff(deadline: deadline, first: .milliseconds(20), longest: .seconds(1))
        while true {
            do {
                let connection = try PostgresConnection(to: address)
                try await connection.open(until: end)
                return connection
            } catch let failure {
                guard failure.passes, let pause = backoff.next(), ContinuousClock.now + pause < end else {
                    giveUpPlace()
                    throw failure.error(at: address.place, role: address.role)
                }
                do {
                    try await Task.sleep(for: pause)
                } catch {
                    giveUpPlace()
                    throw error
                }
            }
        }
    }

    private func loan(until end: ContinuousClock.Instant) async throws -> Loan {
        let (loan, number) = state.withLock { state -> (Loan?, UInt64) in
            if let connection = state.idle.popLast() { return (.connection(connection), 0) }
            state.nextNumber += 1
            guard state.count >= limit else {
                state.count += 1
                return (.place, 0)
            }
            return (nil, state.nextNumber)
        }
        if let loan { return loan }
        let late = PostgresFailure.timedOut.error(at: address.place, role: address.role)
        let timer = Task { [weak self] in
            try await Task.sleep(until: end, clock: .continuous)
            self?.fail(number, with: late)
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiter(number: number, continuation: continuation), until: end, orThrow: late)
            }
        } onCancel: {
            fail(number, with: CancellationError())
        }
    }

    private func wait(_ waiter: Waiter, until end: ContinuousClock.Instant, orThrow late: any Error) {
        let loan = state.withLock { state -> Result<Loan, any Error>? in
            // What ends a wait finds only those who wait already.
            if Task.isCancelled { return .failure(CancellationError()) }
            if ContinuousClock.now >= end { return .failure(late) }
            // One may have become free meanwhile.
            if let connection = state.idle.popLast() { return .success(.connection(connection)) }
            if state.count < limit {
                state.count += 1
                return .success(.place)
            }
            state.waiters.append(waiter)
            return nil
        }
        if let loan { waiter.continuation.resume(with: loan) }
    }

    private func fail(_ number: UInt64, with error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: error)
    }

    private func giveBack(_ connection: PostgresConnection) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.idle.append(connection)
            return nil
        }
        waiter?.continuation.resume(returning: .connection(connection))
    }

    /// The place of a connection that is closed, for the next one.
    private func giveUpPlace() {
        let waiter = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.count -= 1
            return nil
        }
        waiter?.continuation.resume(returning: .place)
    }
}
#endif
