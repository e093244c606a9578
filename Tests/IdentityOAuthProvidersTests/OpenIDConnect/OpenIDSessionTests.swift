import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

@Suite struct OpenIDSessionTests {
    @Test(
        "A new sign-in revokes the session it replaces, and goes on by itself",
        arguments: [(true, .rfc8707, 1), (false, .rfc8707, 0), (true, .auth0, 0)] as [(Bool, TokensByResource, Int)])
    func replacedSession(authenticatesAnew: Bool, style: TokensByResource, revocations: Int) async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(60))
        let user = fixture.server.user
        let another = ScriptedLogin(username: user.username, password: user.password)
        let provider = fixture.provider(
            browser: authenticatesAnew ? ScriptedBrowser { try await another.signIn(at: $0) } : nil
        ) { $0.tokensByResource = style }
        #expect(try await provider.signIn(scopes: [], deviceToken: "d") == fixture.account)
        // In the same session of the server, and at Auth0, both may be one grant, and revoking the old one would end the
        // new one.
        #expect(fixture.requests(to: "/revoke") == revocations)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test(
        "Tokens of one client are neither used nor shown under the configuration of another",
        .guards("refresh token's client"))
    func otherClient() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        let requests = fixture.server.http.log.count
        let other = fixture.provider { $0.clientID = "prod-client" }
        let error = await #expect(throws: SessionError.self) {
            try await other.accessToken(for: fixture.account, scopes: [])
        }
        #expect(error?.message.contains("It belongs to client \"\(fixture.server.client.id)\" of ") == true)
        #expect(fixture.server.http.log.count == requests)
        // The session is there again when its client is.
        _ = try await fixture.provider().accessToken(for: fixture.account, scopes: [])
        let refreshed = fixture.server.http.log.count
        try await other.signOut(fixture.account)
        #expect(fixture.server.http.log.count == refreshed)
        #expect(try await fixture.provider().silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("A server that says nothing holds a sign-out up for five seconds")
    func silentSignOut() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        fixture.server.http.fail(.hang, pathPrefix: "/revoke")
        let provider = fixture.provider(time: fixture.clock.timeSource, transport: DefaultTransport.make())
        async let end: Void = provider.signOut(fixture.account)
        while fixture.requests(to: "/revoke") == 0 || fixture.clock.sleeperCount == 0 { await Task.yield() }
        fixture.clock.advance(by: .seconds(5))
        try await end
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("Status 500 ends no session, whatever the error", arguments: ["invalid_grant", "server_error"])
    func failingServer(error: String) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        let received = LocalResponse.json(["error": .string(error)], status: 500)
        fixture.server.http.fail(.answer(received), pathPrefix: "/token", times: 4)
        for _ in 0..<4 {
            let failure = await #expect(throws: OAuthError.self) {
                try await provider.accessToken(for: fixture.account, scopes: [])
            }
            #expect(failure?.failureCode == error)
            #expect(failure?.failureClass == .transient)
            fixture.clock.advance(by: .seconds(40))
        }
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        await fixture.server.stop()
    }

    @Test("A refresh whose new key cannot be fetched keeps the rotated refresh token")
    func keysOutOfReach() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        fixture.server.http.fail(.answer(.text("busy", status: 503)), pathPrefix: "/jwks")
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(fixture.server.counters.refreshes == 2)
        #expect(fixture.server.counters.replays == 0)
        await fixture.server.stop()
    }

    @Test("Signing out ends the browser's session too")
    func signOut() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        try await provider.signOut(fixture.account)
        #expect(fixture.server.counters.signOuts == 1)
        // The password is asked for again.
        _ = try await provider.signIn(scopes: [], deviceToken: "d")
        #expect(fixture.server.counters.signIns == 2)
        await fixture.server.stop()
    }

    @Test("Without a page to return to, signing out opens no browser")
    func signOutWithoutBrowser() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn { $0.postLogoutRedirectURI = nil }
        try await provider.signOut(fixture.account)
        #expect(fixture.server.counters.familiesRevoked == 1)
        #expect(fixture.requests(to: "/end-session") == 0)
        await fixture.server.stop()
    }

    @Test(
        "A sign-out whose revocation fails succeeds, and that is reported once",
        arguments: [
            (LocalOpenIDConnectServer.Variation.refusesPublicRevocation, "invalid_client"),
            (nil, "answer_failed_status"),
        ])
    func untoldSignOut(variation: LocalOpenIDConnectServer.Variation?, code: String) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        if let variation {
            fixture.server.vary(variation)
        } else {
            fixture.server.http.fail(.answer(LocalResponse(status: 500)), pathPrefix: "/revoke")
        }
        let reports = try await fixture.refreshes.reports { try await provider.signOut(fixture.account) }
        let codes = reports.compactMap { report in
            switch report {
            case .notRevoked(fixture.account, let reason) where variation != nil: reason.identityFailureCode
            case .revocationPostponed(fixture.account, let reason) where variation == nil: reason.identityFailureCode
            default: nil as String?
            }
        }
        #expect(codes == [code])
        // The other token was revoked all the same, and the browser's session ended.
        #expect(fixture.requests(to: "/revoke") == 2)
        #expect(fixture.server.counters.signOuts == 1)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test(
        "A sign-out reports nothing if the server calls the tokens invalid, as Google does, unless it refuses the request",
        arguments: [(400, []), (401, ["invalid_token"])] as [(Int, [String])])
    func signOutOfInvalidTokens(status: Int, codes: [String]) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        let refusal = LocalResponse.json(["error": "invalid_token"], status: status)
        fixture.server.http.fail(.answer(refusal), pathPrefix: "/revoke", times: 2)
        let reports = try await fixture.refreshes.reports { try await provider.signOut(fixture.account) }
        let told = reports.compactMap { report in
            switch report {
            case .notRevoked(_, let reason), .revocationPostponed(_, let reason): reason.identityFailureCode
            default: nil as String?
            }
        }
        #expect(told == codes)
        #expect(fixture.requests(to: "/revoke") == 2)
        await fixture.server.stop()
    }

    @Test("User info asked for with an expired token refreshes it first")
    func userInfoRefreshes() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await provider.userInfo(for: fixture.account).subject == fixture.account.account)
        #expect(fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }
}
