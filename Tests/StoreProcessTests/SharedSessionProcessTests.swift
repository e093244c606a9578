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

    private func expectOneRefresh(_ fixture: ProcessFixture) async throws {
        let actions = ["token", "client-token"]
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
}
