import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

@Suite struct RefusedUserInfoTests {
    @Test(
        "A token that userinfo does not accept is replaced once",
        arguments: [
            LocalResponse.json(["error": "invalid_token"], status: 401),
            LocalResponse(status: 401, headers: [("WWW-Authenticate", "Bearer")]),
        ])
    func replaced(refusal: LocalResponse) async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(1))
        fixture.server.http.fail(.answer(refusal), pathPrefix: "/userinfo")
        #expect(try await provider.userInfo(for: fixture.account).subject == fixture.account.account)
        #expect(fixture.server.counters.refreshes == 1)
        #expect(fixture.requests(to: "/userinfo") == 2)
        await fixture.server.stop()
    }

    @Test("A refusal that another token meets too stands")
    func stands() async throws {
        let fixture = try await OpenIDFixture()
        let provider = try await fixture.signedIn()
        fixture.clock.advance(by: .seconds(1))
        let refusal = LocalResponse.json(["error": "invalid_token"], status: 401)
        fixture.server.http.fail(.answer(refusal), pathPrefix: "/userinfo", times: 9)
        let error = await #expect(throws: OAuthError.self) { try await provider.userInfo(for: fixture.account) }
        #expect(error?.failureCode == "invalid_token")
        #expect(fixture.requests(to: "/userinfo") == 2 && fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }
}
