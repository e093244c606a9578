import Foundation
import IdentityKit
import Testing

@testable import IdentityTesting
@testable import IdentityLocalServers

@Suite("OpenID Connect server: authorization code flow", .stopsServers)
struct OpenIDCodeFlowTests {
    @Test("A sign-in brings an ID token that verifies (OpenID Connect Core 3.1)", arguments: Algorithm.allCases)
    func signIn(algorithm: Algorithm) async throws {
        let clock = ManualClock()
        let client = try await PlainOpenIDClient.start(clock) { $0.signingAlgorithm = algorithm }
        let answer = try await client.tokens()
        #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store")
        #expect(answer["token_type"] == "Bearer")
        #expect(answer.json?["expires_in"] == 3600)
        #expect(answer["scope"] == "openid profile email")

        let token = try #require(answer["id_token"].flatMap(SignedMessage.init))
        let keys = try await client.get("/jwks").json?["keys"]?.arrayValue ?? []
        let key = try #require(keys.first { $0["kid"] == token.header["kid"] }.flatMap(PublicJWK.init))
        #expect(token.header["alg"]?.stringValue == algorithm.rawValue)
        #expect(token.isSigned(by: key))
        let now = Int64(clock.now.timeIntervalSince1970)
        let expected: [String: JSONValue] = [
            "iss": .string(client.server.issuer), "sub": .string(client.server.user.id), "aud": "swift-app",
            "nonce": "the-nonce", "iat": .integer(now), "exp": .integer(now + 3600), "auth_time": .integer(now),
            "at_hash": .string(OpenIDIDTokens.hash(answer["access_token"] ?? "", algorithm)),
        ]
        #expect(token.claims.objectValue?.filter { expected.keys.contains($0.key) } == expected)

        let userInfo = try await client.get(
            "/userinfo", headers: ["Authorization": "Bearer \(answer["access_token"] ?? "")"])
        #expect(userInfo["sub"] == client.server.user.id)
        #expect(userInfo["email"] == "ada@example.org")
    }

    @Test("at_hash is the left half of the hash (OpenID Connect Core 3.1.3.6)")
    func accessTokenHash() {
        // The example of OpenID Connect Core appendix A.3.
        #expect(OpenIDIDTokens.hash("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y", .rs256) == "77QmUPtjPfzWtF2AnpK9RQ")
    }

    @Test("The callback carries code, state and iss (RFC 9207 section 2)")
    func callback() async throws {
        let client = try await PlainOpenIDClient.start()
        let callback = try await client.callback()
        #expect(callback.absoluteString.hasPrefix(PlainOpenIDClient.redirectURI + "?"))
        #expect(callback.parameters("state") == ["the-state"])
        #expect(callback.parameters("iss") == [client.server.issuer])
        #expect(callback.parameters("code").count == 1)
        #expect(client.server.counters.codesIssued == 1)
    }

    @Test(
        "A request to stay connected is ignored without consent (OpenID Connect Core section 11)",
        arguments: [
            (nil, "openid offline_access", false), ("login", "openid offline_access", false),
            ("consent", "openid offline_access", true), ("login consent", "openid offline_access", true),
            (nil, "openid", true),
        ] as [(String?, String, Bool)])
    func offlineAccess(prompt: String?, scope: String, isRefreshable: Bool) async throws {
        let client = try await PlainOpenIDClient.start()
        let code = try await client.callback(["prompt": prompt, "scope": scope]).parameter("code")
        let tokens = try await client.redeem(code ?? "")
        #expect(tokens.status == 200)
        #expect((tokens["refresh_token"] != nil) == isRefreshable)
        #expect(tokens["scope"] == (isRefreshable ? scope : "openid"))
    }

    @Test("response_mode form_post posts the answer to the client")
    func formPost() async throws {
        let client = try await PlainOpenIDClient.start()
        let landing = try await client.login.visit(client.authorizationURL(["response_mode": "form_post"]))
        #expect(landing.url.absoluteString == PlainOpenIDClient.redirectURI)
        #expect(landing.form?.map(\.name) == ["code", "state", "iss"])
        let code = landing.form?.first { $0.name == "code" }?.value ?? ""
        #expect(try await client.redeem(code).status == 200)
    }

    @Test(
        "A request that cannot be trusted never leads away from the server (RFC 6749 section 4.1.2.1)",
        arguments: [
            ["client_id": "nobody"], ["redirect_uri": "https://elsewhere.example/callback"],
            ["redirect_uri": "http://127.0.0.1:9999/callback/more"], ["redirect_uri": nil],
            ["redirect_uri": "http://127.0.0.1.example:9999/callback"],
        ] as [[String: String?]])
    func untrusted(changes: [String: String?]) async throws {
        let client = try await PlainOpenIDClient.start()
        #expect(try await client.login.visit(client.authorizationURL(changes)).page != nil)
        #expect(client.server.counters.codesIssued == 0)
    }

    @Test(
        "A wrong request is answered at the redirect URI (RFC 6749 section 4.1.2.1)",
        arguments: [
            ("invalid_request", ["code_challenge": nil]),
            ("invalid_request", ["code_challenge_method": "plain"]),
            ("invalid_request", ["response_mode": "fragment"]),
            ("invalid_request", ["prompt": "none login"]),
            ("invalid_request", ["max_age": "soon"]),
            ("unsupported_response_type", ["response_type": "token"]),
            ("invalid_scope", ["scope": "openid everything"]),
            ("request_not_supported", ["request": "x.y.z"]),
            ("login_required", ["prompt": "none"]),
        ] as [(String, [String: String?])])
    func refused(error: String, changes: [String: String?]) async throws {
        let client = try await PlainOpenIDClient.start()
        let callback = try await client.callback(changes)
        #expect(callback.parameter("error") == error)
        #expect(callback.parameter("state") == "the-state")
        #expect(callback.parameter("iss") == client.server.issuer)
        #expect(callback.parameter("code") == nil)
    }

    @Test(
        "A code is worth nothing with other values than it was asked for (RFC 6749 4.1.3, RFC 7636 4.6)",
        arguments: [
            ("code_verifier", "another-verifier-of-at-least-43-characters-length", "invalid_grant"),
            ("code_verifier", nil, "invalid_request"),
            ("redirect_uri", "http://127.0.0.1:9998/callback", "invalid_grant"),
            ("client_id", "nobody", "invalid_client"),
        ] as [(String, String?, String)])
    func mismatchedCode(name: String, value: String?, error: String) async throws {
        let client = try await PlainOpenIDClient.start()
        #expect(try await client.redeem(client.code(), [name: value]).error == error)
    }

    @Test(
        "A code verifier is 43 to 128 unreserved characters (RFC 7636 section 4.1)",
        arguments: [
            ("abc", 400), (String(repeating: "~", count: 42), 400), (String(repeating: "~", count: 43), 200),
            (String(repeating: "a", count: 128), 200), (String(repeating: "a", count: 129), 400),
            (String(repeating: "+", count: 43), 400),
        ])
    func verifierForm(verifier: String, status: Int) async throws {
        let client = try await PlainOpenIDClient.start()
        let challenge = TokenSigner.base64URL(sha256(Data(verifier.utf8)))
        let answer = try await client.redeem(
            client.code(["code_challenge": challenge]), ["code_verifier": verifier])
        #expect(answer.status == status)
        #expect(answer.error == (status == 200 ? nil : "invalid_grant"))
    }

    @Test("A code is old after its lifetime (RFC 6749 section 4.1.2)")
    func oldCode() async throws {
        let clock = ManualClock()
        let client = try await PlainOpenIDClient.start(clock)
        let code = try await client.code()
        clock.advance(by: client.server.configuration.codeLifetime)
        #expect(try await client.redeem(code).error == "invalid_grant")
    }

    @Test("A code that comes twice revokes what it brought (RFC 6749 section 4.1.2)")
    func replayedCode() async throws {
        let client = try await PlainOpenIDClient.start()
        let code = try await client.code()
        let first = try await client.redeem(code)
        let token = try #require(first["access_token"])
        #expect(try await client.resource(token).status == 200)
        #expect(try await client.redeem(code).error == "invalid_grant")
        #expect(try await client.resource(token).status == 401)
        #expect(try await client.refresh(first["refresh_token"] ?? "").error == "invalid_grant")
        #expect(client.server.counters.replays == 1)
    }

    @Test("Pushed requests work once, and may be required (RFC 9126)")
    func pushedRequests() async throws {
        let client = try await PlainOpenIDClient.start { $0.requiresPushedRequests = true }
        #expect(try await client.callback().parameter("error") == "invalid_request")

        let pushed = try await client.post("/par", client.request())
        #expect(pushed.status == 201 && pushed.json?["expires_in"] == 60)
        let query = LocalRequest.encodeForm([("client_id", "swift-app"), ("request_uri", pushed["request_uri"] ?? "")])
        let url = client.address("/authorize?" + query)
        let code = try await client.login.signIn(at: url).parameter("code") ?? ""
        #expect(try await client.redeem(code).status == 200)
        #expect(try await client.login.visit(url).page != nil)
        #expect(try await client.post("/par", client.request(["scope": "everything"])).error == "invalid_scope")
    }

    typealias Algorithm = LocalOpenIDConnectServer.SigningAlgorithm
}
