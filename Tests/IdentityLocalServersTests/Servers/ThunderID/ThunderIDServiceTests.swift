import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID services around the sign-in", .stopsServers)
struct ThunderIDServiceTests {
    // MARK: Who may call what

    @Test("An assertion opens the user's own record, and not the userinfo endpoint")
    func assertionAsBearer() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let assertion = try await visitor.nativeAssertion()
        let record = try await visitor.get("/users/me", query: [("include", "display")], bearer: assertion)
        #expect(record["attributes"]?["email"] == "ada@example.org")
        #expect(record["display"] == "ada")
        let userInfo = try await visitor.get("/oauth2/userinfo", bearer: assertion)
        #expect(userInfo.status == 401 && userInfo["error"] == "invalid_token")
        #expect(try await visitor.get("/api/resource", bearer: assertion).status == 401)
    }

    @Test(
        "No other token of the same sign-in stands in for the access token", arguments: ["id_token", "refresh_token"])
    func wrongTokenAsBearer(member: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let bearer = try await visitor.signIn()[member]?.stringValue
        #expect(try await visitor.get("/oauth2/userinfo", bearer: bearer).status == 401)
        #expect(try await visitor.get("/api/resource", bearer: bearer).status == 401)
    }

    @Test("A token is taken for half a minute longer by the server, and not a second longer by the demo's resource")
    func leeway() async throws {
        let visitor = try await ThunderIDVisitor.start(.init(accessTokenLifetime: .seconds(60)))
        let tokens = try await visitor.signIn()
        #expect(tokens["expires_in"] == 60)
        let bearer = tokens["access_token"]?.stringValue
        #expect(
            try await visitor.get("/api/resource", bearer: bearer)["subject"]?.stringValue == visitor.server.user.id
        )
        visitor.clock.advance(by: .seconds(60))
        let resource = try await visitor.get("/api/resource", bearer: bearer)
        #expect(resource.status == 401)
        #expect(resource.header("WWW-Authenticate") == #"Bearer error="invalid_token""#)
        visitor.clock.advance(by: .seconds(30))
        #expect(try await visitor.get("/users/me", bearer: bearer).status == 200)
        visitor.clock.advance(by: .seconds(1))
        let rejected = try await visitor.get("/users/me", bearer: bearer)
        #expect(rejected.status == 401 && rejected["code"] == "AUTH-4010")
        #expect(rejected.header("WWW-Authenticate")?.hasPrefix(#"Bearer error="invalid_token", "#) == true)
    }

    @Test(
        "An unknown path requires a token and then forbids, unless it is public",
        arguments: ["/scim2/Me", "/scim2/Users", "/applications"])
    func unroutedPaths(path: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let anonymous = try await visitor.get(path)
        #expect(anonymous.status == 401 && anonymous.header("WWW-Authenticate") == "Bearer")
        #expect(anonymous["code"] == "AUTH-4010")
        let signedIn = try await visitor.get(path, bearer: try await visitor.nativeAssertion())
        #expect(signedIn.status == 403 && signedIn["code"] == "AUTH-4030")
        #expect(try await visitor.get("/oauth2/device").status == 404)
    }

    @Test("A bad token on a public path is ignored")
    func badTokenOnPublicPath() async throws {
        let visitor = try await ThunderIDVisitor.start()
        #expect(try await visitor.get("/oauth2/jwks", bearer: "stale").status == 200)
        let flow = try await visitor.flow(
            ["applicationId": .string(visitor.server.application.id), "flowType": "AUTHENTICATION"],
            headers: ["Authorization": "Bearer stale"])
        #expect(flow.status == 200)
    }

    // MARK: Own record

    @Test(
        "Attributes must fit the user type",
        arguments: [
            (["attributes": ["username": "ada"]], 400, "USR-1019"),
            (["attributes": ["username": "ada", "email": 1]], 400, "USR-1019"),
            (["attributes": ["username": "grace", "email": "a@example.org"]], 409, "USR-1014"),
            (["username": "ada"], 400, "USR-1001"), ([], 400, "USR-1001"),
        ] as [(JSONValue, Int, String)])
    func refusedAttributes(body: JSONValue, status: Int, code: String) async throws {
        let grace = LocalThunderIDServer.User(id: "grace", username: "grace", password: "Navy-1", attributes: [:])
        let visitor = try await ThunderIDVisitor.start(.init(additionalUsers: [grace]))
        let answer = try await visitor.post(
            "/users/me", json: body,
            headers: ["Authorization": "Bearer \(try await visitor.nativeAssertion())"], method: "PUT")
        #expect(answer.status == status)
        #expect(answer["code"]?.stringValue == code)
    }

    // MARK: Issuer and keys

    @Test("The issuer can differ from the address, down to a trailing slash", arguments: ["https://id.example.org/t/"])
    func configuredIssuer(issuer: String) async throws {
        let visitor = try await ThunderIDVisitor.start(.init(issuer: issuer))
        let discovery = try await visitor.get("/.well-known/openid-configuration")
        #expect(discovery["issuer"]?.stringValue == issuer)
        #expect(discovery["token_endpoint"]?.stringValue == "\(visitor.server.url)/oauth2/token")
        let gate = ScriptedLogin(username: "ada", password: visitor.server.user.password)
        let response = try await gate.signIn(at: try visitor.authorizationURL())
        #expect(response.parameter("iss") == issuer)
        let tokens = try await visitor.redeem(try #require(response.parameter("code")))
        #expect(try claims(of: tokens["id_token"])["iss"]?.stringValue == issuer)
        #expect(try await visitor.refresh(tokens["refresh_token"]).status == 200)
    }

    @Test("Two keys are published, and the one of the other kind signs nothing")
    func decoyKey() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let keys = try #require(try await visitor.get("/oauth2/jwks")["keys"]?.arrayValue)
        #expect(keys.map { $0["kty"] } == ["RSA", "EC"])
        let token = try #require(try await visitor.signIn()["access_token"]?.stringValue)
        #expect(try header(of: .string(token))["kid"] == keys[0]["kid"])
        #expect(Set(keys.compactMap { $0["kid"]?.stringValue }).count == 2)
    }

    @Test("After a change of key new tokens name the new one, and old tokens still count")
    func keyRotation() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let before = try await visitor.signIn()
        try visitor.server.rotateSigningKey()
        let after = try await visitor.signIn()
        let (old, new) = (try header(of: before["access_token"]), try header(of: after["access_token"]))
        #expect(old["kid"] != new["kid"])
        let published = try await visitor.get("/oauth2/jwks")["keys"]?.arrayValue?.map { $0["kid"] }
        #expect(published?.contains(old["kid"]) == true)
        #expect(published?.first == new["kid"])
        #expect(try await visitor.refresh(before["refresh_token"]).status == 200)
    }

    @Test("The tokens of one server are worth nothing at another")
    func otherServer() async throws {
        let visitor = try await ThunderIDVisitor.start(.init(issuer: "https://id.example.org"))
        let tokens = try await ThunderIDVisitor.start(.init(issuer: "https://id.example.org")).signIn()
        #expect(try await visitor.get("/users/me", bearer: tokens["access_token"]?.stringValue).status == 401)
        #expect(try await visitor.refresh(tokens["refresh_token"])["error"] == "invalid_grant")
    }

    @Test("The published certificate is real: its thumbprints are the key's names")
    func certificate() async throws {
        let visitor = try await ThunderIDVisitor.start()
        for key in try await visitor.get("/oauth2/jwks")["keys"]?.arrayValue ?? [] {
            let text = try #require(key["x5c"]?.arrayValue?.first?.stringValue)
            let certificate = try #require(Data(base64Encoded: text))
            let thumbprint = sha256(certificate).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(key["x5t#S256"]?.stringValue == thumbprint)
            #expect(key["kid"]?.stringValue == thumbprint)
        }
    }

    // MARK: Every answer

    @Test(
        "Every answer is marked, with the caller's correlation id when there is one",
        arguments: ["/health", "/oauth2/jwks", "/nowhere", "/gate/signin", "/oauth2/authorize"])
    func markedAnswers(path: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.get(path)
        #expect(answer.header("X-Frame-Options") == "DENY")
        #expect(answer.header("X-Correlation-ID")?.isEmpty == false)
        for name in ["X-Correlation-ID", "X-Request-ID", "X-Trace-ID"] {
            let echoed = try await visitor.send("GET", path, headers: [name: "mine"])
            #expect(echoed.header("X-Correlation-ID") == "mine")
        }
    }
}
