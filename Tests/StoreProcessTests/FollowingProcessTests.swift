import Foundation
import IdentityKit
import TestSupport
import Testing
import ThunderID

/// A client follows the session that another process refreshes.
@Suite(.serialized, .endsInTime) struct FollowingProcessTests {
    @Test(
        "A suspension that another process finds out is heard and shown, and so is its end",
        arguments: StorePlace.allCases)
    @MainActor func suspension(place: StorePlace) async throws {
        let fixture = try await ProcessFixture.signedIn(in: place)
        let view = IdentityState(try client(of: fixture))
        await view.refresh()
        var events = view.client.events().makeAsyncIterator()
        #expect(await events.next() == .signedIn(fixture.account))

        fixture.server.http.fail(.answer(.json(["error": "login_required"], status: 400)), pathPrefix: "/oauth2/token")
        #expect(try await fixture.run("token", shift: 36_000).failures == ["session_suspended"])
        let heard = await events.next()
        let suspension = try #require(try await view.client.lookUp().suspension)
        #expect(heard == .suspended(fixture.account, suspension))
        while !view.needsSignIn { await Task.yield() }
        #expect(view.state == .signedIn(fixture.account))

        // The server is asked again after an hour.
        let outcome = try await fixture.run("token", shift: 39_700)
        #expect(outcome.tokens.count == 1, "\(outcome.lines)")
        #expect(await events.next() == .signedIn(fixture.account))
        while view.needsSignIn { await Task.yield() }
        #expect(view.state == .signedIn(fixture.account))
        #expect(fixture.server.counters.refreshes == 1, "this process asks nobody")
        await fixture.server.stop()
    }

    /// A client in this process, of the session that `fixture` has signed in.
    private func client(of fixture: ProcessFixture) throws -> IdentityClient {
        let environment = IdentityEnvironment(store: try fixture.openStore())
        let settings = ThunderIDSettings(
            baseURL: try ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true),
            clientID: fixture.server.application.clientID,
            redirectURI: fixture.server.application.redirectURIs.first.flatMap(URL.init(string:)),
            allowsLoopbackHTTP: true)
        let provider = try ThunderIDProvider(
            settings: settings, context: ProviderContext(name: fixture.account.realm, environment: environment))
        return IdentityClient(provider: provider, environment: environment)
    }
}
