import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID token endpoint", .stopsServers)
struct ThunderIDTokenTests {
    typealias Application = LocalThunderIDServer.Application

    // MARK: Client authentication

    @Test("A JSON body holds no parameter for the endpoint", arguments: ["token", "revoke", "introspect", "par"])
    func jsonBody(endpoint: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.post(
            "/oauth2/" + endpoint,
            json: ["grant_type": "refresh_token", "client_id": "swift-demo", "refresh_token": "x", "token": "x"])
        #expect(answer.status == 400)
        #expect(answer.json == ["error": "invalid_request", "error_description": "Missing client_id parameter"])
    }

    @Test("A Bearer header is a failed client authentication")
    func bearerHeader() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.token(
            [("grant_type", "refresh_token"), ("client_id", "swift-demo")],
            headers: ["Authorization": "Bearer something"])
        #expect(answer.status == 401 && answer["error"] == "invalid_client")
        #expect(answer.header("WWW-Authenticate") == "Basic")
    }

    @Test(
        "A confidential client must use its own method and secret",
        arguments: [
            (["Authorization": "Basic c3dpZnQtZGVtbzpzJTJCcw=="], [], 200, nil),
            (["Authorization": "Basic c3dpZnQtZGVtbzpuby1zdWNo"], [], 401, "invalid_client"),
            (["Authorization": "Basic not-base64!"], [], 401, "invalid_client"),
            ([:], [("client_id", "swift-demo"), ("client_secret", "s+s")], 400, "unauthorized_client"),
            ([:], [("client_id", "swift-demo")], 401, "invalid_client"),
            ([:], [], 400, "invalid_request"),
            (["Authorization": "Basic c3dpZnQtZGVtbzpzJTJCcw=="], [("client_secret", "s+s")], 400, "invalid_request"),
            (["Authorization": "Basic c3dpZnQtZGVtbzpzJTJCcw=="], [("client_id", "other")], 400, "invalid_request"),
        ] as [([String: String], [(String, String)], Int, String?)])
    func confidentialClient(
        headers: [String: String], form: [(String, String)], status: Int, error: String?
    ) async throws {
        let application = Application(
            type: .fullstack, grantTypes: [.clientCredentials], clientAuthentication: .basic("s+s"))
        let visitor = try await ThunderIDVisitor.start(.init(application: application))
        let answer = try await visitor.token([("grant_type", "client_credentials")] + form, headers: headers)
        #expect(answer.status == status)
        #expect(answer["error"]?.stringValue == error)
    }

    @Test("A grant the application does not have is refused")
    func foreignGrant() async throws {
        let visitor = try await ThunderIDVisitor.start(
            .init(application: Application(grantTypes: [.authorizationCode])))
        #expect(try await visitor.refresh("x")["error"] == "unauthorized_client")
        let tokens = try await visitor.signIn()
        #expect(tokens.status == 200 && tokens["refresh_token"] == nil)
    }

    // MARK: Authorization code

    @Test(
        "A code is spent by a failed attempt",
        arguments: [
            (["code_verifier": "wrong"], "Invalid code verifier"), (["code_verifier": ""], "code_verifier is required"),
            (["redirect_uri": "com.example.app://elsewhere"], "Invalid redirect URI"),
        ])
    func codeIsBurnt(changes: [String: String], description: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let code = try await visitor.code()
        let failed = try await visitor.redeem(code, changes)
        #expect(failed.status == 400 && failed["error"] == "invalid_grant")
        #expect(failed["error_description"]?.stringValue == description)
        #expect(try await visitor.redeem(code)["error_description"] == "Invalid authorization code")
        #expect(visitor.server.counters.familiesRevoked == 0, "there was nothing to revoke")
    }

    @Test("A code lives ten minutes")
    func codeExpires() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let code = try await visitor.code()
        visitor.clock.advance(by: .seconds(600))
        #expect(try await visitor.redeem(code)["error"] == "invalid_grant")
    }

    @Test("Another client neither gets nor spends a code")
    func foreignCode() async throws {
        let other = Application(id: "another", clientID: "another")
        let visitor = try await ThunderIDVisitor.start(.init(additionalApplications: [other]))
        let code = try await visitor.code()
        #expect(try await visitor.redeem(code, ["client_id": "another"])["error"] == "invalid_grant")
        #expect(try await visitor.redeem(code).status == 200)
    }

    @Test("A code that comes again revokes the tokens it brought", arguments: [true, false])
    func codeReplay(revokesFamily: Bool) async throws {
        let visitor = try await ThunderIDVisitor.start(.init(revokesFamilyOnReplay: revokesFamily))
        let code = try await visitor.code()
        let tokens = try await visitor.redeem(code)
        #expect(try await visitor.redeem(code)["error"] == "invalid_grant")
        let userInfo = try await visitor.get("/oauth2/userinfo", bearer: tokens["access_token"]?.stringValue)
        #expect(userInfo.status == (revokesFamily ? 401 : 200))
        #expect(visitor.server.counters.replays == 1)
        #expect(visitor.server.counters.familiesRevoked == (revokesFamily ? 1 : 0))
    }

    @Test("Without the scope openid there is no id token")
    func noIDToken() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.signIn(scope: "profile")
        #expect(tokens["id_token"] == nil)
        #expect(tokens["scope"] == "profile")
        let userInfo = try await visitor.get("/oauth2/userinfo", bearer: tokens["access_token"]?.stringValue)
        #expect(userInfo.status == 403 && userInfo["error"] == "insufficient_scope")
    }

    @Test("The id token holds what the scopes allow, and the nonce")
    func idTokenClaims() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let claims = try claims(of: try await visitor.signIn(scope: "openid email")["id_token"])
        #expect(claims["nonce"] == "no-1")
        #expect(claims["email"] == "ada@example.org")
        #expect(claims["given_name"] == nil)
        #expect(claims["aud"] == "swift-demo")
    }

    // MARK: Token exchange

    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    private func exchange(
        _ token: String, as type: String = "jwt", _ more: [(String, String)] = [], by visitor: ThunderIDVisitor
    ) async throws -> ThunderIDVisitor.Answer {
        try await visitor.token(
            [
                ("grant_type", Self.exchange), ("client_id", "swift-demo"), ("subject_token", token),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:" + type),
            ] + more)
    }

    @Test("An assertion brings an access token and nothing else")
    func exchangeOfAssertion() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await exchange(try await visitor.nativeAssertion(), by: visitor)
        #expect(answer.status == 200)
        #expect(
            Set(answer.json.objectValue?.keys ?? [:].keys)
                == ["access_token", "token_type", "expires_in", "issued_token_type"])
        let bearer = answer["access_token"]?.stringValue
        #expect(try claims(of: answer["access_token"])["sub"]?.stringValue == visitor.server.user.id)
        #expect(try await visitor.get("/api/resource", bearer: bearer).status == 200)
        #expect(try await visitor.get("/oauth2/userinfo", bearer: bearer).status == 403, "no scope openid")
        let scoped = try await exchange(try await visitor.nativeAssertion(), [("scope", "openid")], by: visitor)
        #expect(scoped["error"] == "invalid_scope")
    }

    @Test("What is not the application's own good token is no subject")
    func wrongSubjects() async throws {
        let other = Application(id: "another", clientID: "another")
        let visitor = try await ThunderIDVisitor.start(.init(additionalApplications: [other]))
        let assertion = try await visitor.nativeAssertion()
        #expect(try await exchange("x.y.z", by: visitor)["error_description"] == "Invalid subject_token")
        #expect(try await exchange(assertion, as: "access_token", by: visitor)["error"] == "invalid_request")
        #expect(try await exchange(assertion, as: "saml2", by: visitor)["error"] == "invalid_request")
        let foreign = try await visitor.token([
            ("grant_type", Self.exchange), ("client_id", "another"), ("subject_token", assertion),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:jwt"),
        ])
        #expect(foreign["error"] == "invalid_request")
        visitor.clock.advance(by: .seconds(3631))
        #expect(try await exchange(assertion, by: visitor)["error_description"] == "The subject_token has expired")
    }

    // MARK: Revocation and introspection

    @Test("Revoking any member revokes the family", arguments: ["access_token", "refresh_token"])
    func revocation(member: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.signIn()
        let answer = try await visitor.post(
            "/oauth2/revoke",
            form: [("client_id", "swift-demo"), ("token", tokens[member]?.stringValue ?? "")])
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
        #expect(visitor.server.counters.replays == 0)
        #expect(visitor.server.counters.familiesRevoked == 1)
    }

    @Test("A client cannot revoke another client's token")
    func foreignRevocation() async throws {
        let other = Application(id: "another", clientID: "another")
        let visitor = try await ThunderIDVisitor.start(.init(additionalApplications: [other]))
        let tokens = try await visitor.signIn()
        let answer = try await visitor.post(
            "/oauth2/revoke",
            form: [("client_id", "another"), ("token", tokens["access_token"]?.stringValue ?? "")])
        #expect(answer["error"] == "invalid_grant")
        #expect(try await visitor.post("/oauth2/revoke", form: [("client_id", "another")]).status == 400)
    }

    @Test("Access tokens and unspent refresh tokens are active; nothing else is")
    func introspection() async throws {
        let visitor = try await ThunderIDVisitor.start()
        func isActive(_ token: JSONValue?) async throws -> JSONValue? {
            try await visitor.post(
                "/oauth2/introspect",
                form: [("client_id", "swift-demo"), ("token", token?.stringValue ?? "")])["active"]
        }
        let tokens = try await visitor.signIn()
        #expect(try await isActive(tokens["access_token"]) == true)
        #expect(try await isActive(tokens["refresh_token"]) == true)
        #expect(try await isActive(tokens["id_token"]) == false)
        #expect(try await isActive(.string(try await visitor.nativeAssertion())) == false)
        #expect(try await isActive("x.y.z") == false)
        _ = try await visitor.refresh(tokens["refresh_token"])
        #expect(try await isActive(tokens["refresh_token"]) == false)
        visitor.clock.advance(by: .seconds(3631))
        #expect(try await isActive(tokens["access_token"]) == false)
    }
}
