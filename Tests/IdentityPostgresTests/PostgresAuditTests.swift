#if PostgreSQL
import Foundation
import IdentityPostgres
import TestSupport
import Testing

@testable import IdentityKit

/// What happened to an account can be read afterwards.
@Suite(.endsInTime) struct PostgresAuditTests {
    private func audited() -> PostgresTokenStore.Options {
        var options = PostgresTokenStore.Options.lasting
        options.keepsAuditTrail = true
        return options
    }

    @Test("Sign-in, refresh, the end and sign-out are written down, each with its generation and its place")
    func actions() async throws {
        let fleet = try await PostgresFleetSession(options: audited())
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        fleet.expire()
        #expect(try await sessions.accessToken(for: fleet.account, scopes: []) == "access-1")
        try await sessions.end(fleet.account)
        try await fleet.begin(on: sessions)
        fleet.expire()
        fleet.refuse("revoked")
        await #expect(throws: SessionError.self) { try await sessions.accessToken(for: fleet.account, scopes: []) }
        try await fleet.sealed.purgeSessions(unusedSince: fleet.clock.now + 1)

        let audited = try #require(fleet.sealed.layer((any AuditedTokenStore).self))
        let trail = try await audited.auditTrail(of: fleet.account, before: nil, limit: 10)
        #expect(trail.map(\.action) == [.purge, .end, .signIn, .signOut, .refresh, .signIn])
        #expect(trail.map(\.generation) == [6, 5, 4, 3, 2, 1])
        let process = ProcessInfo.processInfo.processIdentifier
        #expect(trail.allSatisfy { $0.place.hasSuffix("/\(process)") && $0.account == fleet.account })
        #expect(trail.map(\.number) == trail.map(\.number).sorted(by: >))
        let older = try await fleet.store.auditTrail(of: fleet.account, before: trail[1].number, limit: 2)
        #expect(older == Array(trail[2...3]))
        let stranger = AccountID(account: "bob", realm: "work")
        #expect(try await fleet.store.auditTrail(of: stranger) == [])
    }

    @Test("A sign-in and a sign-out have one entry each, also where the former session cannot be read")
    func unreadable() async throws {
        let fleet = try await PostgresFleetSession(options: audited())
        let sessions = fleet.sessions()
        let spoil = """
            UPDATE identity_records SET content = set_byte(content, length(content) - 1,
                get_byte(content, length(content) - 1) # 1) WHERE collection = 'accounts'
            """
        for isSignOut in [false, true] {
            try await fleet.begin(on: sessions)
            try fleet.server.sql(spoil, in: fleet.database)
            if isSignOut { try await sessions.end(fleet.account) } else { try await fleet.begin(on: sessions) }
        }
        let trail = try await fleet.store.auditTrail(of: fleet.account)
        #expect(trail.map(\.action) == [.signOut, .signIn, .signIn, .signIn])
        #expect(trail.map(\.generation) == [6, 4, 3, 1])
    }

    @Test("A session that ends for another reason than a refusal is written down as ended, too")
    func ended() async throws {
        let fleet = try await PostgresFleetSession(options: audited())
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        try await sessions.end(fleet.account, because: "The person has withdrawn their consent.") { _ in true }
        #expect(try await fleet.store.auditTrail(of: fleet.account).map(\.action) == [.end, .signIn])
    }

    @Test("Nothing of a token is in the trail")
    func noSecrets() async throws {
        let fleet = try await PostgresFleetSession(options: audited())
        let sessions = fleet.sessions()
        try await fleet.begin(on: sessions)
        fleet.expire()
        _ = try await sessions.accessToken(for: fleet.account, scopes: [])
        let table = try fleet.server.sql(
            "SELECT string_agg(identity_audit::text || convert_from(name, 'UTF8'), '') FROM identity_audit",
            in: fleet.database)
        #expect(table.contains("refresh,") && table.contains("work/ada"))
        #expect(!table.contains("access-") && !table.contains("refresh-"))
    }

    @Test("What was not written is not in the trail")
    func conflicts() async throws {
        let fleet = try await PostgresFleetSession(options: audited())
        try await SessionAction.signIn.whileWriting {
            try await fleet.store.write(Data("a".utf8), for: .account(fleet.account), replacing: 0)
            for generation: UInt64 in [0, 7] {
                await #expect(throws: TokenStoreError.self) {
                    try await fleet.store.write(Data("b".utf8), for: .account(fleet.account), replacing: generation)
                }
            }
        }
        // A write that means nothing for the account.
        try await fleet.store.write(Data("c".utf8), for: .account(fleet.account), replacing: 1)
        #expect(try await fleet.store.auditTrail(of: fleet.account).map(\.generation) == [1])
    }

    @Test("Without the setting there is no trail, and asking for one says so")
    func unset() async throws {
        let fleet = try await PostgresFleetSession()
        try await fleet.begin(on: fleet.sessions())
        await #expect(throws: TokenStoreError.unsupported(detail: "no audit trail is kept. Set \"audit\": true")) {
            try await fleet.store.auditTrail(of: fleet.account, before: nil, limit: 1)
        }
        let count = try fleet.server.sql("SELECT count(*) FROM identity_audit", in: fleet.database)
        #expect(count == "0")
    }

    @Test("A role of the program can add to the trail and not change it")
    func rights() async throws {
        let server = try PostgresServer.shared()
        let (_, database) = try await server.store()
        let role = "audited_\(database)"
        try server.sql("CREATE ROLE \(role) LOGIN", in: database)
        try server.sql(PostgresSchema().grants(to: role), in: database)
        let store = try server.open(database, role: role, options: audited())
        let account = AccountID(account: "ada", realm: "work")
        try await SessionAction.signIn.whileWriting {
            _ = try await store.write(Data("a".utf8), for: .account(account), replacing: 0)
        }
        #expect(try await store.auditTrail(of: account).count == 1)
        for change in ["DELETE FROM identity_audit", "UPDATE identity_audit SET place = ''"] {
            #expect(throws: (any Error).self) { try server.sql("SET ROLE \(role); \(change)", in: database) }
        }
    }
}
#endif
