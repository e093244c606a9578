import Foundation
import IdentityKit
import IdentityLocalServers
import InsForge
import Testing

/// Two clients of one project with one store, as an app and its extension have them.
@Suite struct ClientFollowingTests {
    private let kim = LocalInsForgeServer.User(email: "kim@example.org", password: "kims password", name: "Kim")

    @Test("A listener hears of the other client's sign-ins and sign-outs, each once")
    func followed() async throws {
        try await InsForgeFixture.run({ $0.additionalUsers = [kim] }) { fixture in
            let (here, there) = (try await fixture.signedInClient(), fixture.client())
            var events = here.auth.authEvents.makeAsyncIterator()
            #expect(await signedIn(events.next()) == fixture.server.user.id)
            try await there.auth.signIn(email: kim.email, password: kim.password)
            #expect(await signedIn(events.next()) == kim.id)
            #expect(here.auth.getSession()?.user.id == kim.id)
            try await there.auth.signOut()
            #expect(await events.next() == .signedOut)
            #expect(here.auth.getSession() == nil)
        }
    }

    private func signedIn(_ event: InsForgeAuthEvent?) -> String? {
        if case .signedIn(let user) = event { user.id } else { nil }
    }

    @Test("A write for the user on screen changes nothing once another one has signed in")
    func guarded() async throws {
        try await InsForgeFixture.run({ $0.additionalUsers = [kim] }) { fixture in
            let (here, there) = (try await fixture.signedInClient(), fixture.client())
            let shown = try #require(here.auth.sessionNumber)
            fixture.expire()
            // A refresh begins no session.
            try await here.auth.setProfile(["name": "Ada L."], of: shown)
            try await there.auth.signIn(email: kim.email, password: kim.password)
            for number in [shown, nil] {
                await #expect(throws: InsForgeAuthError.sessionChanged) {
                    try await here.auth.setProfile(["name": "Ada"], of: number)
                }
            }
            #expect(try await here.auth.getCurrentUser()?.name == "Kim")
            try await there.auth.signIn(email: fixture.server.user.email, password: fixture.server.user.password)
            await #expect(throws: InsForgeAuthError.sessionChanged) {
                try await here.auth.setProfile(["name": "Ada"], of: shown)
            }
            #expect(try await there.auth.getCurrentUser()?.name == "Ada L.")
        }
    }
}
