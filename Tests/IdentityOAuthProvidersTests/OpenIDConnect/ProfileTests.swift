import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import TestSupport
import Testing

/// Accounts have a name that people know.
@Suite struct ProfileTests {
    private static let ada = AccountProfile(displayName: "Ada Lovelace", email: "ada@example.org", username: "ada")

    private func profile(of fixture: OpenIDFixture) async throws -> AccountProfile? {
        try await fixture.provider().sessions.storedCredential(of: fixture.account)?.profile
    }

    @Test("It comes from the ID token, without another request")
    func idToken() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn()
        #expect(try await profile(of: fixture) == Self.ada)
        #expect(fixture.requests(to: "/userinfo") == 0)
        await fixture.server.stop()
    }

    @Test("Where the ID token lacks it, user info is asked, once, and a refresh keeps it")
    func userInfo() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.claimsInUserInfoOnly)
        let provider = try await fixture.signedIn()
        #expect(try await profile(of: fixture) == Self.ada)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await profile(of: fixture) == Self.ada)
        #expect(fixture.requests(to: "/userinfo") == 1)
        await fixture.server.stop()
    }

    @Test("A refresh brings what has changed")
    func refresh() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.claimsInUserInfoOnly)
        fixture.server.misbehave(.userInfoIsHTML)
        let provider = try await fixture.signedIn()
        #expect(try await profile(of: fixture) == nil)
        fixture.server.behave()
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: fixture.account, scopes: [])
        #expect(try await profile(of: fixture) == Self.ada)
        await fixture.server.stop()
    }

    @Test(
        "A sign-in succeeds although user info fails or is about another person",
        arguments: [LocalOpenIDConnectServer.Misbehaviour.userInfoIsHTML, .wrongUserInfoSubject])
    func noAnswer(misbehaviour: LocalOpenIDConnectServer.Misbehaviour) async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.claimsInUserInfoOnly)
        fixture.server.misbehave(misbehaviour)
        let provider = try await fixture.signedIn()
        #expect(try await profile(of: fixture) == nil)
        _ = try await provider.accessToken(for: fixture.account, scopes: ["openid"])
        await fixture.server.stop()
    }

    @Test(
        "A sign-in that is given up while user info is asked signs nobody in, and its tokens are revoked",
        .endsInTime)
    func givenUp() async throws {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.claimsInUserInfoOnly)
        let (userInfo, revocation) = (AnswerGate(), AnswerGate())
        fixture.server.http.fail(.holdAnswer(userInfo), pathPrefix: "/userinfo")
        fixture.server.http.fail(.holdAnswer(revocation), pathPrefix: "/revoke")
        let signIn = Task { try await fixture.signedIn() }
        await userInfo.waitForAnswer()
        signIn.cancel()
        await #expect(throws: CancellationError.self) { _ = try await signIn.value }
        // The sign-in stores no session any more once it revokes its tokens.
        await revocation.waitForAnswer()
        #expect(try await fixture.provider().silentAccount(scopes: [], deviceToken: "d").account == nil)
        #expect(fixture.server.counters.familiesRevoked == 1)
        userInfo.open()
        revocation.open()
        await fixture.server.stop()
    }

    @Test("What the granted scopes do not promise is not asked for")
    func narrowScopes() async throws {
        let fixture = try await OpenIDFixture()
        _ = try await fixture.signedIn { $0.scopes = ["openid"] }
        #expect(try await profile(of: fixture) == nil)
        #expect(fixture.requests(to: "/userinfo") == 0)
        await fixture.server.stop()
    }
}
