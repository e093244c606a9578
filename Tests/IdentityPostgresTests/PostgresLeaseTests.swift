#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// Who may send a refresh token when a holder of the lease is cut off.
@Suite(.endsInTime) struct PostgresLeaseTests {
    private let key = StoreKey(.accounts, "work/ada")

    @Test("A lease is free at once when its holder's connections end")
    func connectionEnds() async throws {
        let server = try PostgresServer.shared()
        let (other, database) = try await server.store(options: .lasting)
        let holder = try server.open(database, application: "holder", options: .lasting)
        let lease = try #require(try await holder.lease(for: key))
        #expect(try await other.lease(for: key) == nil)
        // What the operating system does to the connections of a process that dies. This one lives, and may have connected
        // again before the other one asks.
        var taken: (any StoreLease)?
        while taken == nil {
            try server.sql(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'holder'",
                in: database)
            taken = try await other.lease(for: key)
        }
        let next = try #require(taken)
        await next.release()
        await lease.release()
    }

    @Test("A holder whose lease was taken over stores its result when nobody has stored one, and no later")
    func takenOver() async throws {
        let server = try PostgresServer.shared()
        let (holder, database) = try await server.store(options: .lasting)
        let other = try server.open(database, options: .lasting)
        try await holder.write(Data("1".utf8), for: key, replacing: 0)
        let former = try #require(try await holder.lease(for: key))
        // The holder extends its lease every second, so that it may do so between the two.
        var taken: (any StoreLease)?
        while taken == nil {
            try server.sql(
                "UPDATE identity_leases SET ends_at = now() - interval '1 second', liveness = NULL", in: database)
            taken = try await other.lease(for: key)
        }
        let next = try #require(taken)
        #expect(other.figures[.takeovers] == 1)
        // Whoever cannot know that the lease is still its own sends no refresh token.
        #expect(next.isConfirmed)
        while former.isConfirmed { await Task.yield() }
        #expect(try await former.write(Data("2".utf8), replacing: 1).generation == 2)
        await #expect(throws: TokenStoreError.conflict(key, current: 2)) {
            try await next.write(Data("3".utf8), replacing: 1)
        }
        await former.release()
        // The release of the former holder does not end the lease of the next one.
        #expect(try server.sql("SELECT count(*) FROM identity_leases", in: database) == "1")
        await next.release()
        #expect(try await holder.lease(for: key) != nil)
    }

    @Test("A lease whose holder is alive lasts, however long the holder takes")
    func lasts() async throws {
        let server = try PostgresServer.shared()
        let (holder, database) = try await server.store(options: .lasting)
        let other = try server.open(database, options: .lasting)
        let lease = try #require(try await holder.lease(for: key))
        let first = try server.sql("SELECT ends_at FROM identity_leases", in: database)
        while try server.sql("SELECT ends_at FROM identity_leases", in: database) == first { await Task.yield() }
        #expect(try await other.lease(for: key) == nil)
        await lease.release()
        #expect(try await other.lease(for: key) != nil)
    }

    @Test("A lease that is claimed while others are extended counts as soon as it is claimed")
    func claimedDuringExtension() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store(options: .lasting)
        let former = try #require(try await store.lease(for: key))
        try server.sql("CREATE TABLE former AS TABLE identity_leases", in: database)
        await former.release()
        let other = try #require(try await store.lease(for: StoreKey(.accounts, "work/bob")))
        var claim: Task<(any StoreLease)?, any Error>?
        // The claim has to wait for the other row with its key, and the extension need not.
        try await server.duringTransaction("INSERT INTO identity_leases TABLE former", in: database) {
            claim = Task { [key] in try await store.lease(for: key) }
            let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            while try server.sql("\(waiting) AND datname = '\(database)'") == "0" { await Task.yield() }
            let extensions = store.sentStatements["extend", default: 0]
            // Once the second one has begun, the first one is over.
            while store.sentStatements["extend", default: 0] < extensions + 2 { await Task.yield() }
        }
        let lease = try #require(try await claim?.value)
        #expect(lease.isConfirmed && other.isConfirmed)
        await lease.release()
        await other.release()
    }

    @Test("No row is left of leases that are over")
    func tidy() async throws {
        let server = try PostgresServer.shared()
        let (store, database) = try await server.store(options: .lasting)
        for _ in 0..<50 {
            let lease = try #require(try await store.lease(for: key))
            await lease.release()
        }
        var dropped = try await store.lease(for: key)
        #expect(dropped != nil)
        dropped = nil
        while try server.sql("SELECT count(*) FROM identity_leases", in: database) != "0" { await Task.yield() }
    }
}
#endif
