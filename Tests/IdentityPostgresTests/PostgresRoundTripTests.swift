#if PostgreSQL
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// How often the database is asked: each time costs what the network between the machines costs.
@Suite(.endsInTime) struct PostgresRoundTripTests {
    @Test("A refresh takes four statements")
    func refresh() async throws {
        let fleet = try await PostgresFleetSession(options: .lasting)
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
            #expect(fleet.statements(since: before) == refresh(hasNote: round > 1))
            // The next one looks at what was stored, once.
            _ = try await sessions.accessToken(for: fleet.account, scopes: [])
            let known = fleet.statements
            for _ in 0..<100 { _ = try await sessions.accessToken(for: fleet.account, scopes: []) }
            #expect(fleet.statements(since: known) == [:])
        }
        let leases = try fleet.server.sql("SELECT count(*) FROM identity_leases", in: fleet.database)
        #expect(leases == "0")
    }

    @Test("So does a token for a resource, beside the session's own")
    func resources() async throws {
        let fleet = try await PostgresFleetSession(options: .lasting)
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        _ = fleet.store.marker(for: .account(fleet.account))
        while !fleet.store.hearsChanges { await Task.yield() }
        for _ in 0..<2 { _ = try await sessions.credential(for: fleet.account, scopes: []) }
        func token(_ resource: String) async throws -> String {
            try await sessions.accessToken(for: fleet.account, scopes: [], resource: resource)
        }
        for number in 1...3 {
            let resource = "https://api\(number).example.com"
            let before = fleet.statements
            #expect(try await token(resource) == "\(resource) access-\(number)")
            #expect(fleet.statements(since: before) == refresh(hasNote: number > 1))
            // The next one looks at what was stored, once, and the next resource is asked for by what it found.
            #expect(try await token(resource) == "\(resource) access-\(number)")
            let known = fleet.statements
            for _ in 0..<100 { _ = try await token(resource) }
            #expect(fleet.statements(since: known) == [:])
        }
        #expect(fleet.sentTokens == ["refresh-0", "refresh-1", "refresh-2"])
    }

    /// The statements of a refresh: the lease, the session with the last note, the new note, and the result with the end of the
    /// lease.
    private func refresh(hasNote: Bool) -> [String: Int] {
        ["take": 1, "read3": 1].merging(hasNote ? ["replace": 2] : ["create": 1, "replace": 1]) { $1 }
    }

    @Test("An account's session is found by its own record alone, however many there are")
    func lookUp() async throws {
        let fleet = try await PostgresFleetSession(options: .lasting)
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        let before = fleet.statements
        _ = try await fleet.sessions().lookUp(fleet.account)
        #expect(fleet.statements(since: before) == ["read": 1])
    }

    @Test("A record is as old as the database's clock says")
    func age() async throws {
        let fleet = try await PostgresFleetSession(options: .lasting)
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
