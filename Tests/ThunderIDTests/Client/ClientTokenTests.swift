import Foundation
import IdentityKit
import IdentityLocalServers
import Testing
import ThunderID

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ClientTokenTests {
    private static let jwt = "urn:ietf:params:oauth:token-type:jwt"
    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    @Test("The claims of a token are read as any type")
    func decode() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let token = try await fixture.client.getAccessToken()
        let claims: [String: AnyCodable] = try fixture.client.decodeJwtToken(token)
        #expect(claims["sub"]?.value as? String == fixture.server.user.id)
        #expect(claims["exp"]?.value as? Int != nil)
        struct Subject: Decodable { let sub: String }
        let subject: Subject = try fixture.client.decodeJwtToken(token)
        #expect(subject.sub == fixture.server.user.id)
        await fixture.server.stop()
    }

    @Test("A token goes out over plain HTTP to this machine alone")
    func plainHTTP() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let plain = URLRequest(url: try #require(URL(string: "http://api.example.com/")))
        let local = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        #expect(await iamError { try await fixture.client.authorized(plain) }?.code == .invalidInput)
        #expect(try await fixture.client.authorized(local).value(forHTTPHeaderField: "Authorization") != nil)
        var refused = plain
        refused.setValue("Bearer \(try await fixture.client.getAccessToken())", forHTTPHeaderField: "Authorization")
        #expect(await iamError { try await fixture.client.reauthorized(refused) }?.code == .invalidInput)
        await fixture.server.stop()
    }

    @Test("What is no token is no input", arguments: ["", "a.b", "a.b.c", "a.b.c.d.e", "not a token", "e30.e30.AA=="])
    func undecodable(token: String) {
        let error = #expect(throws: IAMError.self) {
            let _: [String: AnyCodable] = try ThunderIDClient().decodeJwtToken(token)
        }
        #expect(error?.code == .invalidInput)
    }

    @Test("An assertion is exchanged for an access token, and the session stays what it was")
    func exchangeAssertion() async throws {
        let fixture = try await ClientFixture { $0.nativeSession = .assertion }
        let assertion = try #require(try await fixture.signIn().assertion)
        let response = try await fixture.client.exchangeToken(
            config: TokenExchangeRequestConfig(subjectToken: assertion, subjectTokenType: Self.jwt))
        #expect(response.tokenType == "Bearer" && response.expiresIn == 3600)
        #expect(response.refreshToken == nil && response.idToken == nil)
        #expect(response.issuedTokenType == Self.accessToken)
        #expect(try await fixture.client.getAccessToken() == assertion)
        let again = try await fixture.client.exchangeToken(config: TokenExchangeRequestConfig())
        #expect(again.accessToken != assertion)
        await fixture.server.stop()
    }

    @Test("The session's own token can be exchanged by naming the session alone")
    func exchangeSession() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn(sessionId: "work")
        let response = try await fixture.client.exchangeToken(
            config: TokenExchangeRequestConfig(scopes: ["openid"]), sessionId: "work")
        #expect(response.scope == "openid")
        let call = try #require(fixture.wire.requests(to: "/oauth2/token").last)
        #expect(call.parameter("subject_token_type") == Self.accessToken)
        await fixture.server.stop()
    }

    @Test(
        "The session's refresh token is exchanged as it is refreshed, and is good afterwards, whatever the server says")
    func exchangeRefreshToken() async throws {
        let fixture = try await ClientFixture()
        try await fixture.signIn()
        let type = "urn:ietf:params:oauth:token-type:refresh_token"
        let token = try await fixture.client.getAccessToken()
        let response = try await fixture.client.exchangeToken(
            config: TokenExchangeRequestConfig(subjectTokenType: type))
        #expect(response.accessToken != token && response.refreshToken == nil)
        let sent = try #require(fixture.wire.requests(to: "/oauth2/token").last?.parameter("subject_token"))
        let refused = await iamError {
            try await fixture.client.exchangeToken(
                config: TokenExchangeRequestConfig(
                    subjectToken: sent, subjectTokenType: type, resource: "https://unknown.example.com"))
        }
        #expect(refused != nil)
        #expect(try await fixture.client.getAccessToken() == token)
        fixture.clock.advance(by: .seconds(3600))
        #expect(try await fixture.client.getAccessToken() != token)
        #expect(fixture.grants("refresh_token").map { $0.parameter("refresh_token") } == [sent])
        await fixture.server.stop()
    }

    @Test("What cannot be exchanged says why")
    func refused() async throws {
        let fixture = try await ClientFixture()
        let wrong = await iamError {
            try await fixture.client.exchangeToken(
                config: TokenExchangeRequestConfig(subjectToken: "x", subjectTokenType: Self.jwt))
        }
        #expect(wrong?.code == .invalidGrant && wrong?.serverCode == "invalid_request")
        let nobody = await iamError { try await fixture.client.exchangeToken(config: .init()) }
        #expect(nobody?.code == .sessionExpired)
        let native = try await fixture.restarted {
            $0 = ThunderIDConfig(baseUrl: $0.baseUrl, applicationId: "a", allowsLoopbackHTTP: true)
        }
        let unset = await iamError { try await native.exchangeToken(config: .init()) }
        #expect(unset?.code == .invalidConfiguration)
        await fixture.server.stop()
    }

    @Test("Nothing that holds a token prints it")
    func printing() async throws {
        let fixture = try await ClientFixture { $0.nativeSession = .assertion }
        let end = try await fixture.signIn()
        let assertion = try #require(end.assertion)
        let response = try await fixture.client.exchangeToken(config: .init())
        let config = TokenExchangeRequestConfig(subjectToken: assertion, subjectTokenType: Self.jwt)
        let payload = EmbeddedSignInPayload(flowId: "f", inputs: ["password": "planted-password"])
        var dumped = "\(end) \(response) \(config) \(payload) \(String(reflecting: end))"
        dump(end, to: &dumped)
        dump(response, to: &dumped)
        dump(config, to: &dumped)
        dump(payload, to: &dumped)
        #expect(!dumped.contains(assertion) && !dumped.contains(response.accessToken))
        #expect(!dumped.contains("planted-password"))
        await fixture.server.stop()
    }
}
