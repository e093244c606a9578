import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

/// What a client knows of a session that it did not begin.
@Suite struct ClientStartTests {
    private static let refusal = Fault.answer(
        .json(["error": "AUTH_UNAUTHORIZED", "message": "Invalid token", "statusCode": 401], status: 401))

    @Test("The session that was there at the start is the first event, and later listeners get the last one first")
    func firstEvent() async throws {
        for isImmediate in [true, false] {
            let memory = MemoryTokenStore()
            try await InsForgeFixture.run(store: isImmediate ? memory : SlowStore(memory)) { fixture in
                let user = try #require(try await fixture.signedInClient().auth.getCurrentUser())
                let client = fixture.client()
                var events = client.auth.authEvents.makeAsyncIterator()
                #expect(await events.next() == .signedIn(user))
                #expect(client.auth.getSession()?.user == user)
                try await client.auth.signOut()
                #expect(await events.next() == .signedOut)
                var late = client.auth.authEvents.makeAsyncIterator()
                #expect(await late.next() == .signedOut)
            }
        }
    }

    @Test("A session that was taken over shows its user at once, and all of them once the server was asked")
    func takenOver() async throws {
        try await InsForgeFixture.run { fixture in
            let elsewhere = try await fixture.signedInClient { $0.auth.storage = InMemoryAuthStorage() }
            let old = try #require(elsewhere.auth.getSession())
            let refreshToken = try #require(fixture.server.issuedTokens.last { $0.kind == .refresh }?.token)
            let provider = try fixture.provider(name: "insforge")
            try await provider.sessions.begin(
                Credential(
                    accessToken: Secret(old.accessToken), refreshToken: refreshToken, issuedAt: fixture.clock.now,
                    expiresAt: fixture.clock.now, signedInAt: fixture.clock.now,
                    backend: ServerURL(fixture.server.url.absoluteString, allowsLoopbackHTTP: true).description),
                for: AccountID(account: old.user.id, realm: "insforge"))

            let client = fixture.client()
            let shown = try #require(client.auth.getSession()?.user)
            #expect(shown.id == old.user.id && shown.email == old.user.email)
            #expect(shown.name == nil && !shown.emailVerified)
            var events = client.auth.authEvents.makeAsyncIterator()
            #expect(await events.next() == .signedIn(shown))
            _ = try await client.auth.accessToken()
            #expect(client.auth.getSession()?.user == old.user)
            #expect(await events.next() == .userUpdated(old.user))
        }
    }

    @Test("Without automatic refresh the session and the user are there together or not at all")
    func agreement() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = try await fixture.signedInClient { $0.auth.autoRefreshToken = false }.auth
            #expect(try await auth.getCurrentUser() != nil && auth.getSession() != nil)
            fixture.expire()
            #expect(try await auth.getCurrentUser() == nil)
            #expect(auth.getSession() == nil)
            // Refreshing by hand brings it back.
            try await auth.refreshAccessToken()
            #expect(try await auth.getCurrentUser() != nil && auth.getSession() != nil)
            // The server may know better when a token has expired.
            fixture.server.advanceClock(by: .seconds(15 * 60))
            #expect(try await auth.getCurrentUser() == nil)
            #expect(auth.getSession() == nil)
            try await auth.refreshAccessToken()
            #expect(try await auth.getCurrentUser() != nil && auth.getSession() != nil)
        }
    }

    @Test("Without automatic refresh a token that the server refuses once counts again when the server accepts it")
    func refusedOnce() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = try await fixture.signedInClient { $0.auth.autoRefreshToken = false }.auth
            fixture.server.http.fail(Self.refusal, pathPrefix: "/api/auth/sessions/current")
            #expect(try await auth.getCurrentUser() == nil && auth.getSession() == nil)
            #expect(try await auth.getCurrentUser() != nil && auth.getSession() != nil)
        }
    }

    @Test("A user whose session stays is not absent because the server refuses the token, the refreshed one too")
    func refusedTwice() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = try await fixture.signedInClient().auth
            fixture.clock.advance(by: .seconds(1))
            fixture.server.http.fail(Self.refusal, pathPrefix: "/api/auth/sessions/current", times: 2)
            await #expect(throws: InsForgeAuthError.sessionExpired) { try await auth.getCurrentUser() }
            #expect(auth.getSession() != nil)
            #expect(try await auth.getCurrentUser()?.id == fixture.server.user.id)
        }
    }
}
