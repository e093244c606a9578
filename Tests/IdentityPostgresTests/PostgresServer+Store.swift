#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import IdentityTesting
import TestSupport

extension PostgresServer {
    /// A store in an empty database, with its tables.
    func store(
        options: PostgresTokenStore.Options = .patient
    ) async throws -> (store: PostgresTokenStore, database: String) {
        let database = try database()
        let store = try open(database, options: options)
        try await store.migrate()
        return (store, database)
    }

    /// What another program has of `database`, with connections of its own.
    func open(
        _ database: String, role: String = "postgres", application: String = "test",
        options: PostgresTokenStore.Options = .patient
    ) throws -> PostgresTokenStore {
        try PostgresTokenStore(url: url(database, role: role, application: application), options: options)
    }
}

extension PostgresTokenStore.Options {
    /// For calls that are to succeed, also on a machine that is busy with all other tests.
    static var patient: Self { waiting(Patience.limit) }

    /// For tests that refresh a session, hold a lease or count statements: no lease ends because the machine is busy.
    static var lasting: Self {
        var options = patient
        options.leaseDuration = options.deadline
        return options
    }

    /// For calls that are to end with an error. Others may end with it too.
    static func waiting(_ deadline: Duration) -> Self {
        var options = Self()
        options.deadline = deadline
        return options
    }
}

extension PostgresServer {
    /// Runs `body` while another session has locked `table`, so that every statement about it waits.
    func locking(_ table: String, in database: String, _ body: () async throws -> Void) async throws {
        try await duringTransaction("LOCK \(table)", in: database, body)
    }

    /// Runs `body` while another session has run `statement` in a transaction, which is rolled back afterwards.
    func duringTransaction(_ statement: String, in database: String, _ body: () async throws -> Void) async throws {
        let mark = "lock \(UUID())"
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        // A thread of its own: this blocks.
        Thread.detachNewThread {
            let sleep = "SELECT pg_sleep(\(60 * Patience.minutes)) /* \(mark) */"
            _ = try? self.sql("BEGIN; \(statement); \(sleep)", in: database)
            end.finish()
        }
        let find = "FROM pg_stat_activity WHERE query LIKE '%\(mark)%' AND wait_event = 'PgSleep'"
        while try await answer(to: "SELECT count(*) \(find)", in: database) == "0" { await Task.yield() }
        let result = await Swift.Result { try await body() }
        _ = try await answer(to: "SELECT pg_terminate_backend(pid, 5000) \(find)", in: database)
        for await _ in ended {}
        try result.get()
    }

    /// Asks on a thread of its own: it blocks, and the threads of tasks are few.
    private func answer(to statement: String, in database: String) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Swift.Result { try self.sql(statement, in: database) })
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
#endif
