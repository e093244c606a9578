import Foundation
import IdentityKit
import IdentityLocalServers
import IdentityOAuth
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the official client does wrong at the token endpoint and its siblings, and this one does right.
@Suite struct TokenEndpointDefects {
    private static let form = "application/x-www-form-urlencoded"

    @Test("Defect 1: code exchange, refresh and token exchange are forms, and succeed")
    func forms() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signInByRedirect()
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.client.getAccessToken()
        _ = try await fixture.client.exchangeToken(config: TokenExchangeRequestConfig())
        let calls = fixture.wire.requests(to: "/oauth2/token")
        #expect(
            calls.map { $0.parameter("grant_type") } == [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange",
            ])
        #expect(calls.allSatisfy { $0.status == 200 && $0.header("Content-Type")?.hasPrefix(Self.form) == true })
        #expect(calls.allSatisfy { $0.header("Authorization") == nil && $0.parameter("client_id") == "swift-demo" })
        await fixture.server.stop()
    }

    @Test("Defect 2: revocation is a form with an empty response, happens, and its failure can be known")
    func revocation() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signInByRedirect()
        let token = try await fixture.client.getAccessToken()
        try await fixture.client.signOut(options: SignOutOptions(requiresRevocation: true))
        let call = try #require(fixture.wire.requests(to: "/oauth2/revoke").first)
        #expect(call.status == 200 && call.answer.isEmpty && call.header("Content-Type")?.hasPrefix(Self.form) == true)
        var request = URLRequest(url: fixture.server.url.appendingPathComponent("oauth2/userinfo"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        #expect(try await fixture.wire.data(for: request).1.statusCode == 401)
        try await fixture.signInByRedirect()
        fixture.server.http.fail(.answer(.text("", status: 503)), pathPrefix: "/oauth2/revoke")
        await #expect(throws: IAMError.self) {
            try await fixture.client.signOut(options: SignOutOptions(requiresRevocation: true))
        }
        await fixture.server.stop()
    }

    @Test("Defect 3: the server's session can be ended, in the browser and by its sign-out flow; no cookie is kept")
    func serverSession() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signInByRedirect()
        let url = try #require(try await fixture.client.signOutURL())
        #expect(url.path == "/oauth2/logout")
        let hint = try #require(CallbackURL(url)["id_token_hint"])
        try await fixture.client.signOut(options: SignOutOptions(idTokenHint: hint, requiresRevocation: true))
        #expect(fixture.wire.requests(to: "/oauth2/logout/callback").count == 1)
        #expect(!fixture.wire.exchanges.contains { $0.header("Cookie") != nil })
        await fixture.server.stop()
    }

    @Test("Defect 25: a token exchange leaves the session alone, and asks with the client's identifier")
    func exchange() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        let exchanged = try await fixture.client.exchangeToken(config: TokenExchangeRequestConfig())
        #expect(exchanged.accessToken != token)
        #expect(try await fixture.client.getAccessToken() == token)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await fixture.client.getAccessToken()
        let native = try await fixture.restarted {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, applicationId: "app", allowsLoopbackHTTP: true)
        }
        let error = await iamError {
            try await native.exchangeToken(config: .init(subjectToken: token, subjectTokenType: "t"))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(!fixture.wire.requests(to: "/oauth2/token").contains { $0.parameter("client_id") == "app" })
        await fixture.server.stop()
    }

    @Test("Defect 40: refreshes at the same moment are one, and nothing is replayed")
    func concurrentRefresh() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        for _ in 0..<3 {
            fixture.clock.advance(by: .seconds(3600))
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<30 { group.addTask { _ = try? await fixture.client.getAccessToken() } }
            }
        }
        #expect(fixture.server.counters.refreshes == 3 && fixture.server.counters.replays == 0)
        func requireSendable(_: some Sendable) {}
        requireSendable(fixture.client)
        await fixture.server.stop()
    }

    @Test("Defect 41: a refused refresh token ends the session instead of being sent for ever")
    func refusedRefresh() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        fixture.server.revokeFamilies(ofUser: fixture.server.user.id)
        fixture.clock.advance(by: .seconds(3600))
        for _ in 0..<3 {
            #expect(await iamError { try await fixture.client.getAccessToken() }?.code == .sessionExpired)
        }
        #expect(fixture.grants("refresh_token").count == 1)
        #expect(try await fixture.client.isSignedIn() == false)
        await fixture.server.stop()
    }
}
