import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import TestSupport
import Testing
import ThunderID

@Suite struct ThunderIDSessionTests {
    @Test("Refreshes follow each other for the life of the session, then it ends with its reason")
    func wholeLife() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try await fixture.signedIn()
        for _ in 0..<23 {
            fixture.clock.advance(by: .seconds(3600))
            _ = try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(fixture.server.counters.refreshes == 23)
        // The server allows for a leeway of 30 seconds.
        fixture.clock.advance(by: .seconds(3600 + 31))
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.failureCode == "session_ended")
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("A session of the client is not the application's, and the other way round")
    func clientAndApplication() async throws {
        let fixture = try await ThunderIDFixture()
        let application = try fixture.provider(
            clientID: .some(nil), prompter: ScriptedPrompter(fixture.credentials))
        for (begins, other) in [
            (try await fixture.signedIn(), application), (application, try fixture.provider()),
        ] {
            if begins === application { _ = try await application.signIn(scopes: [], deviceToken: "d") }
            let requests = fixture.server.http.log.count
            let error = await #expect(throws: SessionError.self) {
                try await other.accessToken(for: fixture.account, scopes: [])
            }
            #expect(error?.message.contains("cannot be used here: It belongs to client ") == true)
            #expect(try await other.sessionEnd(of: fixture.account) == nil)
            #expect(fixture.server.http.log.count == requests)
            _ = try await begins.accessToken(for: fixture.account, scopes: [])
        }
        await fixture.server.stop()
    }

    @Test(
        "A session of another server is ended here and its tokens are sent nowhere", .guards("refresh token's client"))
    func foreignSession() async throws {
        let former = try await ThunderIDFixture()
        _ = try await former.signedIn()
        let current = try await ThunderIDFixture(store: former.store)
        let provider = try current.provider()
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        try await provider.signOut(former.account)
        #expect(current.server.http.log.isEmpty)
        #expect(try await former.store.record(for: .account(former.account))?.content == nil)
        await former.server.stop()
        await current.server.stop()
    }

    @Test("An ID token that cannot be read costs a refresh nothing else")
    func unreadableIDToken() async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.http.fail(
            .answer(.json(["access_token": "a", "token_type": "Bearer", "refresh_token": "r", "id_token": "x.y.z"])),
            pathPrefix: "/oauth2/token")
        let before = try await provider.sessions.storedCredential(of: fixture.account)
        #expect(try await provider.accessToken(for: fixture.account, scopes: []) == "a")
        let after = try await provider.sessions.storedCredential(of: fixture.account)
        #expect(after?.refreshToken == "r")
        #expect(after?.idToken == before?.idToken)
        await fixture.server.stop()
    }

    @Test(
        "What a refused refresh comes to is decided as at any OpenID Connect server, and said in the words of IAMError",
        arguments: [
            (400, "invalid_grant", "session_ended"), (400, "invalid_request", "refresh_refused"),
            (401, "invalid_client", "INVALID_CONFIGURATION"), (500, "invalid_grant", "SERVER_ERROR"),
            (429, "invalid_grant", "SERVER_ERROR"),
        ])
    func refusedRefresh(status: Int, error: String, code: String) async throws {
        let fixture = try await ThunderIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.http.fail(
            .answer(.json(["error": .string(error)], status: status)), pathPrefix: "/oauth2/token")
        let failure = await #expect(throws: (any Error).self) {
            try await provider.accessToken(for: fixture.account, scopes: [])
        }
        #expect((failure as? any IdentityFailure)?.failureCode == code)
        await fixture.server.stop()
    }
}
