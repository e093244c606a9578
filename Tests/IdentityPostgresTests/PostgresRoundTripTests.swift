#if PostgreSQL
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// How often the database is asked: each time costs what the network between the machines costs.
@Suite(.endsInTime) struct PostgresRoundTripTests {
    @Test("A refresh takes four statements")
    func refresh() async throws {
        let fleet = try await PostgresFleetSession()
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        // The program hears of changes, and has looked the session up: once to know it, and once to know that it has not
        // changed meanwhile.
        _ = fleet.store.marker(for: .account(fleet.account))
        while !fleet.store.hearsChanges { await Task.yield() }
        for _ in 0..<2 {
            #expect(try await sessions.accessToken(for: fleet.account, scopes: []) == "access-0")
        }
        for round in 1...3 {
            fleet.expire()
            let before = fleet.statements
            #expect(try await sessions.accessToken(for: fleet.account, scopes: []) == "access-\(round)")
            // The lease, the session with the last note, the new note, the result with the end of the lease.
            let note = round == 1 ? "create" : "replace"
            let expected = ["take": 1, "read3": 1].merging([note: 1]) { $1 }.merging(
                ["replace": 1], uniquingKeysWith: +)
            #expect(fleet.statements(since: before) == expected)
            // The next one looks at what was stored, once.
            _ = try await sessions.accessToken(for: fleet.account, scopes: [])
            let known = fleet.statements
            for _ in 0..<100 { _ = try await sessions.accessToken(for: fleet.account, scopes: []) }
            #expect(fleet.statements(since: known) == [:])
        }
        let leases = try fleet.server.sql("SELECT count(*) FROM identity_leases", in: fleet.database)
        #expect(leases == "0")
    }

    @Test("An account's session is found by its own record alone, however many there are")
    func lookUp() async throws {
        let fleet = try await PostgresFleetSession()
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        let before = fleet.statements
        _ = try await fleet.sessions().lookUp(fleet.account)
        #expect(fleet.statements(since: before) == ["read": 1])
    }

    @Test("A record is as old as the database's clock says")
    func age() async throws {
        let fleet = try await PostgresFleetSession()
        try await fleet.begin(on: fleet.sessions())
        let key = StoreKey.account(fleet.account)
        _ = try fleet.server.sql(
            "UPDATE identity_records SET written_at = now() - interval '1 hour'", in: fleet.database)
        let read = [try await fleet.store.record(for: key), try await fleet.store.records(for: [key]).first]
        for record in read {
            let age = try #require(record?.age)
            #expect(age >= .seconds(3600) && age < .seconds(7200))
        }
    }
}
#endif
