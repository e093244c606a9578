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
        #expect(error?.message.contains("127.0.0.1 said so, with HTTP status 401.") == true)
        #expect(fixture.requests(to: "/userinfo") == 2 && fixture.server.counters.refreshes == 1)
        await fixture.server.stop()
    }

    @Test(
        "What is refused names host, status and what to do: user info, a revocation, a sign-in that meets something else",
        arguments: [
            ("/userinfo", LocalResponse(status: 403), "HTTP status 403", "Try again later"),
            ("/revoke", .json(["error": "invalid_client"], status: 401), "HTTP status 401", "Check the client"),
            ("/token", .redirect(to: "https://elsewhere.example"), "HTTP status 302", "Check the endpoint"),
            ("/token", .html("<html>Blocked</html>", status: 403), "HTTP status 403", "in front of the server"),
        ])
    func named(path: String, response: LocalResponse, status: String, advice: String) async throws {
        let fixture = try await OpenIDFixture()
        let party = try await fixture.relyingParty()
        fixture.server.http.fail(.answer(response), pathPrefix: path, times: 2)
        let error = await #expect(throws: OAuthError.self) {
            switch path {
            case "/userinfo": _ = try await party.userInfo("a", of: nil)
            case "/revoke": try await party.revoke("a", hint: .refreshToken)
            default: _ = try await fixture.signedIn()
            }
        }
        let message = try #require(error?.message)
        #expect(message.contains("127.0.0.1") && message.contains(status) && message.contains(advice), "\(message)")
        await fixture.server.stop()
    }
}
