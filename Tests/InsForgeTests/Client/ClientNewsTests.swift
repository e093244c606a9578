import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityTesting
import InsForge
import TestSupport
import Testing

/// Late ends of calls and sign-outs say nothing about a session that they are not of. In each test a change of the profile
/// ends what is listened to.
@Suite(.endsInTime) struct ClientNewsTests {
    private let kim = LocalInsForgeServer.User(email: "kim@example.org", password: "kims password", name: "Kim")

    private func run(
        store: any TokenStore = MemoryTokenStore(), _ body: (InsForgeFixture, AccountID) async throws -> Void
    ) async throws {
        try await InsForgeFixture.run(store: store, { $0.additionalUsers = [kim] }) { fixture in
            try await body(fixture, AccountID(account: fixture.server.user.id, realm: "insforge"))
        }
    }

    private func signIn(_ user: LocalInsForgeServer.User, to client: InsForgeClient) async throws {
        try await client.auth.signIn(email: user.email, password: user.password)
    }

    /// The events from the beginning on, until a change of the profile.
    private func heard(_ client: InsForgeClient, _ events: AsyncStream<InsForgeAuthEvent>) async throws -> [String] {
        try await client.auth.setProfile(["name": "The last"])
        var heard: [String] = []
        for await event in events {
            switch event {
            case .signedIn(let user): heard.append("signed in: \(user.email)")
            case .signedOut: heard.append("signed out")
            case .userUpdated(let user) where user.name == "The last": return heard
            case .userUpdated(let user): heard.append("updated: \(user.email)")
            }
        }
        return heard
    }

    @Test("A change that is heard during a sign-out is looked at when the sign-out is over")
    func heardMeanwhile() async throws {
        let store = HeldTokenStore()
        try await run(store: store) { fixture, ada in
            let (here, there) = (try await fixture.signedInClient(), fixture.client(store: store.wrapped))
            let events = here.auth.authEvents
            store.holdErasure(of: ada)
            let signOut = Task { try await here.auth.signOut() }
            await store.erased()
            fixture.clock.advance(by: .seconds(1))
            try await store.whenHeard { try await signIn(kim, to: there) }
            store.goOn()
            try await signOut.value
            var first = events.makeAsyncIterator()
            for expected in [fixture.server.user.email, nil, kim.email] {
                let event = await first.next()
                if case .signedIn(let user)? = event {
                    #expect(user.email == expected)
                } else {
                    #expect(expected == nil)
                }
            }
            #expect(try await here.auth.getCurrentUser()?.id == kim.id)
        }
    }

    @Test("A late call of an earlier user signs nobody out")
    func lateCall() async throws {
        try await run { fixture, _ in
            let transport = HeldTransport(holding: "/api/auth/refresh")
            let client = try await fixture.signedInClient { $0.global.transport = transport }
            let events = client.auth.authEvents
            fixture.expire()
            fixture.server.deleteUser(id: fixture.server.user.id)
            let late = Task { try await client.auth.accessToken() }
            await transport.answered()
            try await signIn(kim, to: client)
            transport.open()
            await #expect(throws: (any Error).self) { try await late.value }
            #expect(client.auth.getSession()?.user.id == kim.id)
            #expect(
                try await heard(client, events)
                    == ["signed in: \(fixture.server.user.email)", "signed in: \(kim.email)"])
        }
    }

    @Test("No news of a user is told after the user's sign-out")
    func updateAfterSignOut() async throws {
        try await run { fixture, _ in
            let transport = HeldTransport(holding: "/api/auth/sessions/current")
            let client = try await fixture.signedInClient { $0.global.transport = transport }
            let events = client.auth.authEvents
            let late = Task { try await client.auth.getCurrentUser() }
            await transport.answered()
            try await client.auth.signOut()
            transport.open()
            _ = try? await late.value
            try await signIn(kim, to: client)
            #expect(
                try await heard(client, events)
                    == ["signed in: \(fixture.server.user.email)", "signed out", "signed in: \(kim.email)"])
        }
    }

    @Test("A sign-out that fails is told to nobody, and nobody signs in again by it")
    func failedSignOut() async throws {
        let store = FaultyTokenStore()
        try await run(store: store) { fixture, _ in
            let client = try await fixture.signedInClient()
            let events = client.auth.authEvents
            let shown = client.auth.sessionNumber
            store.fail(.write, with: TokenStoreError.full(path: "x"))
            await #expect(throws: InsForgeAuthError.storeFailed(.full(path: "x"))) { try await client.auth.signOut() }
            store.heal()
            _ = try await client.auth.accessToken()
            #expect(client.auth.getSession() != nil && client.auth.sessionNumber == shown)
            #expect(try await heard(client, events) == ["signed in: \(fixture.server.user.email)"])
        }
    }

    @Test("The late end of a sign-out says nothing about a newer session of the same user, which stays")
    func lateEnd() async throws {
        let store = HeldTokenStore()
        try await run(store: store) { fixture, ada in
            let client = try await fixture.signedInClient()
            let events = client.auth.authEvents
            store.holdErasure(of: ada)
            let signOut = Task { try await client.auth.signOut() }
            await store.erased()
            fixture.clock.advance(by: .seconds(1))
            try await signIn(fixture.server.user, to: client)
            store.goOn()
            try await signOut.value
            let told = "signed in: \(fixture.server.user.email)"
            #expect(try await heard(client, events) == [told, told])
        }
    }

    @Test("A call that finds nobody tells it, though nobody has listened")
    func foundByCall() async throws {
        try await run { fixture, _ in
            let (here, there) = (try await fixture.signedInClient(), fixture.client())
            try await there.auth.signOut()
            await #expect(throws: InsForgeAuthError.notSignedIn) { try await here.auth.accessToken() }
            var events = here.auth.authEvents.makeAsyncIterator()
            #expect(await events.next() == .signedOut)
        }
    }

    @Test("A write for a user who has signed out reaches nobody who signed in since")
    func writeAfterSignOut() async throws {
        try await run { fixture, _ in
            let (here, there) = (try await fixture.signedInClient(), fixture.client())
            try await here.auth.signOut()
            try await signIn(kim, to: there)
            await #expect(throws: InsForgeAuthError.sessionChanged) {
                try await here.auth.setProfile(["name": "Ada"])
            }
            #expect(try await here.auth.getCurrentUser()?.name == "Kim")
            #expect(try await here.auth.setProfile(["name": "Kim K."]).name == "Kim K.")
        }
    }
}
