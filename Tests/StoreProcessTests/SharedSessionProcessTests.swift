import Foundation
import IdentityKit
import IdentityLocalServers
import TestSupport
import Testing

/// Processes of which some use the client and some the provider.
@Suite(.serialized, .endsInTime) struct SharedSessionProcessTests {
    @Test(
        "Clients and providers in several processes spend an expired token once", .guards("refresh token rotation"),
        arguments: StorePlace.allCases)
    func onceForBoth(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        try await expectOneRefresh(fixture)
        #expect(try await fixture.run("client-sign-out").lines == ["signed out"])
        #expect(await fixture.failureCode(try fixture.sessions()) == "not_signed_in")
        await fixture.server.stop()
    }

    @Test(
        "Processes that all find the session of an earlier version move it once and spend its token once",
        arguments: StorePlace.allCases)
    func moving(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let backend = try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true).description
        let former = AccountID(
            account: "default", realm: "thunderid:" + fixture.server.application.clientID + "@" + backend)
        try await fixture.sessions().move(fixture.account, to: former)
        let store = try fixture.openStore()
        #expect(try await store.record(for: .account(fixture.account))?.content == nil)
        try await expectOneRefresh(fixture, among: ["client-token"])
        #expect(try await store.record(for: .account(former))?.content == nil)
        #expect(try await store.record(for: .account(fixture.account))?.content != nil)
        try await expectNoRefresh(fixture)
        await fixture.server.stop()
    }

    @Test("A process that dies between the two writes of a move loses no session", arguments: StorePlace.allCases)
    func killed(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let backend = try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true).description
        let former = AccountID(
            account: "default", realm: "thunderid:" + fixture.server.application.clientID + "@" + backend)
        try await fixture.sessions().move(fixture.account, to: former)
        _ = try await fixture.run("client-token", fault: "session.copied=kill")
        let store = try fixture.openStore()
        for account in [former, fixture.account] {
            #expect(try await store.record(for: .account(account))?.content != nil)
        }
        try await expectOneRefresh(fixture)
        // Behind a pooler the lease of the dead process lasts a few seconds, and nobody tidies up meanwhile.
        while try await store.record(for: .account(former))?.content != nil {
            #expect(try await fixture.run("client-token", shift: 36_000).tokens.count == 1)
        }
        #expect(fixture.server.counters.refreshes == 1 && fixture.server.counters.familiesRevoked == 0)
        await fixture.server.stop()
    }

    private func expectOneRefresh(
        _ fixture: ProcessFixture, among actions: [String] = ["token", "client-token"]
    ) async throws {
        let processes = try (0..<6).map { try fixture.start(actions[$0 % actions.count], shift: 36_000, tasks: 4) }
        var tokens: [String] = []
        for process in processes {
            let outcome = await process.end()
            #expect(outcome.failures == [])
            tokens += outcome.tokens
        }
        #expect(tokens.count == 24 && Set(tokens).count == 1)
        #expect(fixture.server.counters.refreshes == 1 && fixture.server.counters.replays == 0)
    }

    private func expectNoRefresh(_ fixture: ProcessFixture) async throws {
        let outcome = try await fixture.run("token", shift: 36_000)
        #expect(outcome.tokens.count == 1 && fixture.server.counters.refreshes == 1)
    }
}
