#if PostgreSQL
import Foundation
import IdentityKit
import IdentityPostgres
import TestSupport
import Testing

/// What is left of an account, and who knows it.
@Suite(.endsInTime) struct PostgresErasureTests {
    private func refreshed(_ fleet: PostgresFleetSession) async throws {
        try await fleet.begin(on: fleet.sessions())
        fleet.expire()
        #expect(try await fleet.sessions().accessToken(for: fleet.account, scopes: []) == "access-1")
    }

    private func count(_ condition: String, _ fleet: PostgresFleetSession) throws -> String {
        try fleet.server.sql("SELECT count(*) FROM identity_records WHERE \(condition)", in: fleet.database)
    }

    @Test("The note of the last refresh goes with a sign-out, and a purge leaves no name")
    func note() async throws {
        let fleet = try await PostgresFleetSession()
        try await refreshed(fleet)
        let notes = "collection = 'refreshes' AND content IS NOT NULL"
        #expect(try count(notes, fleet) == "1")
        try await fleet.sessions().end(fleet.account)
        #expect(try count(notes, fleet) == "0")
        try fleet.server.sql(
            "UPDATE identity_records SET written_at = now() - interval '100 days'", in: fleet.database)
        #expect(try await fleet.sealed.purge(unusedSince: Date() - 90 * 86_400).removed == 2)
        #expect(try count("convert_from(name, 'UTF8') LIKE '%ada%'", fleet) == "0")
    }

    @Test("A note that has lost its session is purged with it, and that of a session is kept")
    func orphan() async throws {
        let fleet = try await PostgresFleetSession()
        try await refreshed(fleet)
        let age = "written_at = now() - interval '100 days'"
        try fleet.server.sql("UPDATE identity_records SET \(age)", in: fleet.database)
        #expect(try await fleet.store.purge(unusedSince: .distantPast).removed == 0)
        try fleet.server.sql(
            "UPDATE identity_records SET content = NULL, \(age) WHERE collection = 'accounts'", in: fleet.database)
        #expect(try await fleet.sealed.purge(unusedSince: Date() - 90 * 86_400).removed == 2)
    }

    @Test("Whoever asks to be forgotten leaves the audit trail alone, and every machine knows")
    func forgotten() async throws {
        var options = PostgresTokenStore.Options.lasting
        options.keepsAuditTrail = true
        let fleet = try await PostgresFleetSession(options: options)
        try await refreshed(fleet)
        let there = try fleet.sessionsElsewhere()
        #expect(try await there.accessToken(for: fleet.account, scopes: []) == "access-1")
        for (collection, person) in [("revocations", "ada"), ("revocations", "bob"), ("current-accounts", "ada")] {
            try await fleet.sealed.write(
                Data(#"{"choice": {"account": "\#(person)", "realm": "work"}}"#.utf8),
                for: StoreKey(StoreKey.Collection(rawValue: collection), "of \(person)"), replacing: 0)
        }
        try await fleet.sealed.eraseAccount(fleet.account)
        #expect(try count("convert_from(name, 'UTF8') IN ('work/ada', 'accounts/work/ada')", fleet) == "0")
        let left = try await fleet.sealed.records(in: .revocations).records.filter { $0.content != nil }
        #expect(left.map(\.key.name) == ["of bob"])
        let current = try await fleet.sealed.records(in: .currentAccounts).records
        #expect(current.count > 1 && current.allSatisfy { $0.content == nil })
        #expect(try await fleet.store.auditTrail(of: fleet.account).map(\.action) == [.erase, .refresh, .signIn])
        await hearsOfEnd(there, fleet)
        // It may come back, and begins anew.
        try await fleet.begin(on: fleet.sessions())
        #expect(try await there.accessToken(for: fleet.account, scopes: []) == "access-0")
        try await fleet.sessions().end(fleet.account)
        await hearsOfEnd(there, fleet)
    }

    /// Another machine knows soon that nobody is signed in.
    private func hearsOfEnd(_ machine: ProviderSessions, _ fleet: PostgresFleetSession) async {
        await #expect(throws: SessionError.notSignedIn(fleet.account)) {
            while true {
                _ = try await machine.accessToken(for: fleet.account, scopes: [])
                await Task.yield()
            }
        }
    }
}
#endif
