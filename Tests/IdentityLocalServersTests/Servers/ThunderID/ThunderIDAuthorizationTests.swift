import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID authorization endpoint", .stopsServers)
struct ThunderIDAuthorizationTests {
    typealias Application = LocalThunderIDServer.Application

    @Test("A valid request leads to the sign-in page with the ids of the request, the application and the execution")
    func signInPage() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.authorize(["ui_locales": "de"])
        let page = try #require(answer.location)
        #expect(answer.status == 302)
        #expect(page.absoluteString.hasPrefix("\(visitor.server.url)/gate/signin?"))
        #expect(page.parameter("applicationId") == visitor.server.application.id)
        #expect(page.parameter("authId") != nil)
        #expect(page.parameter("executionId") != nil)
        #expect(page.parameter("ui_locales") == "de")
        #expect(page.parameter("showInsecureWarning") == nil, "a custom scheme does not travel")
    }

    @Test(
        "What is wrong with the client or the redirect URI is never told to the redirect URI",
        arguments: [
            ["client_id": nil], ["client_id": "nobody"], ["redirect_uri": "https://evil.example/"],
            ["redirect_uri": "com.example.app://callback/"], ["redirect_uri": "COM.EXAMPLE.APP://callback"],
            ["redirect_uri": "http://127.0.0.1:51234/callback"], ["redirect_uri": nil],
        ] as [[String: String?]])
    func untrustedRedirect(changes: [String: String?]) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let page = try #require(try await visitor.authorize(changes).location)
        #expect(page.absoluteString.hasPrefix("\(visitor.server.url)/gate/error?"))
        #expect(page.parameter("errorCode") == "invalid_request")
    }

    @Test("The redirect URI may be left out when only one is registered")
    func onlyRedirectURI() async throws {
        let application = Application(redirectURIs: ["com.example.app://callback"])
        let visitor = try await ThunderIDVisitor.start(.init(application: application))
        let code = try await visitor.code(["redirect_uri": nil])
        // It was not named, so the token request need not name it.
        #expect(try await visitor.redeem(code, ["redirect_uri": "whatever"]).status == 200)
    }

    @Test(
        "Every other error goes to the client, with iss and state",
        arguments: [
            (["response_type": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
            (["scope": "openid admin"], "invalid_target"), (["prompt": "none"], "login_required"),
            (["prompt": "select_account"], "account_selection_required"),
            (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["nonce": String(repeating: "n", count: 65)], "invalid_request"),
        ] as [([String: String?], String)])
    func errorsForTheClient(changes: [String: String?], error: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let target = try #require(try await visitor.authorize(changes).location)
        #expect(target.absoluteString.hasPrefix("com.example.app://callback?"))
        #expect(target.parameter("error") == error)
        #expect(target.parameter("iss") == visitor.server.issuer)
        #expect(target.parameter("state") == "st-1")
        #expect(target.parameter("code") == nil)
    }

    @Test("A repeated parameter is refused before anything else")
    func repeatedParameter() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let query = visitor.authorizationQuery() + [("state", "st-2")]
        let answer = try await visitor.get("/oauth2/authorize", query: query)
        #expect(answer.status == 400 && answer["error"] == "invalid_request")
    }

    @Test("Only GET is routed")
    func onlyGET() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.post("/oauth2/authorize", form: [])
        #expect(answer.status == 405)
    }

    // MARK: Callback

    @Test("The authorization response carries code, iss and the state as it was sent")
    func authorizationResponse() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let state = "a b+c/=&\"%é~"
        let (authID, assertion) = try await visitor.signInAtGate(["state": state])
        let target = try #require(try await visitor.callback(authID, assertion))
        #expect(target.parameter("code") != nil)
        #expect(target.parameter("iss") == visitor.server.issuer)
        #expect(target.parameter("state") == state)
        #expect(visitor.server.counters.codesIssued == 1)
    }

    @Test("An authorization request is answered once")
    func singleUse() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let (authID, assertion) = try await visitor.signInAtGate()
        _ = try await visitor.callback(authID, assertion)
        let second = try #require(try await visitor.callback(authID, assertion))
        #expect(second.path == "/gate/error")
        #expect(second.parameter("code") == nil)
    }

    @Test("An authorization request lives an hour")
    func requestExpires() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let (authID, _) = try await visitor.signInAtGate()
        visitor.clock.advance(by: .seconds(3600))
        let (_, assertion) = try await visitor.signInAtGate()
        #expect(try await visitor.callback(authID, assertion)?.path == "/gate/error")
    }

    @Test("An assertion of another authorization request denies this one")
    func assertionOfAnotherRequest() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let (authID, _) = try await visitor.signInAtGate()
        let (_, foreign) = try await visitor.signInAtGate()
        let target = try #require(try await visitor.callback(authID, foreign))
        #expect(target.absoluteString.hasPrefix("com.example.app://callback?"))
        #expect(target.parameter("error") == "access_denied")
        #expect(target.parameter("iss") == visitor.server.issuer)
        #expect(target.parameter("state") == "st-1")
    }

    @Test("A native assertion, bound to no request, denies it too")
    func nativeAssertionAtCallback() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let (authID, _) = try await visitor.signInAtGate()
        let target = try await visitor.callback(authID, try await visitor.nativeAssertion())
        #expect(target?.parameter("error") == "access_denied")
    }

    @Test("Something that is no assertion does not use up the request")
    func forgedAssertion() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let (authID, assertion) = try await visitor.signInAtGate()
        #expect(try await visitor.callback(authID, "x.y.z")?.path == "/gate/error")
        #expect(try await visitor.callback(authID, assertion)?.parameter("code") != nil)
    }

    @Test("An incomplete callback is the one that is not answered with an address", arguments: ["authId", "assertion"])
    func incompleteCallback(member: String) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.post("/oauth2/auth/callback", json: [member: "x"])
        #expect(answer.status == 400 && answer["error"] == "invalid_request")
    }

    // MARK: Pushed requests

    @Test("A pushed request lives a minute (RFC 9126)")
    func pushedRequest() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let pushed = try await visitor.post("/oauth2/par", form: visitor.authorizationQuery())
        let requestURI = try #require(pushed["request_uri"]?.stringValue)
        visitor.clock.advance(by: .seconds(60))
        let page = try await visitor.get(
            "/oauth2/authorize", query: [("client_id", "swift-demo"), ("request_uri", requestURI)])
        #expect(page.location?.path == "/gate/error")
    }

    @Test("A wrong pushed request is refused at once")
    func wrongPushedRequest() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.post(
            "/oauth2/par", form: visitor.authorizationQuery(["code_challenge": nil]))
        #expect(answer.status == 400 && answer["error"] == "invalid_request")
    }

    // MARK: Sign-out

    @Test("A sign-out, also one that is posted, runs its flow and comes back with the state", arguments: [false, true])
    func signOut(isPosted: Bool) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let tokens = try await visitor.signIn()
        let fields = [
            ("id_token_hint", tokens["id_token"]?.stringValue ?? ""), ("logout_hint", "ada"),
            ("post_logout_redirect_uri", "com.example.app://signed-out"), ("state", "bye"),
        ]
        let answer =
            isPosted
            ? try await visitor.post("/oauth2/logout", form: fields)
            : try await visitor.get("/oauth2/logout", query: fields)
        let page = try #require(answer.location)
        #expect(page.path == "/gate/signout")
        let step = try await visitor.flow(["executionId": .string(page.parameter("executionId") ?? "")])
        #expect(step["flowStatus"] == "COMPLETE")
        let body: JSONValue = ["logoutId": .string(page.parameter("logoutId") ?? "")]
        let done = try await visitor.post("/oauth2/logout/callback", json: body)
        #expect(done["redirect_uri"] == "com.example.app://signed-out?state=bye")
        #expect(try await visitor.post("/oauth2/logout/callback", json: body)["redirect_uri"] == "")
        #expect(try await visitor.refresh(tokens["refresh_token"]).status == 200, "no token is revoked")
    }

    @Test(
        "A sign-out must name its client and a registered address",
        arguments: [
            [], [("client_id", "nobody")], [("id_token_hint", "x.y.z")],
            [("client_id", "swift-demo"), ("post_logout_redirect_uri", "https://evil.example/")],
        ] as [[(String, String)]])
    func refusedSignOut(query: [(String, String)]) async throws {
        let visitor = try await ThunderIDVisitor.start()
        let answer = try await visitor.get("/oauth2/logout", query: query)
        #expect(answer.status == 400)
    }

    // MARK: Scripted gate

    @Test("The gate throws what the client would never learn")
    func gateThrows() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let gate = ScriptedLogin(username: "ada", password: "wrong")
        await #expect(throws: ScriptedLoginError.refused(code: "FET-1005")) {
            try await gate.signIn(at: try visitor.authorizationURL())
        }
        await #expect(throws: ScriptedLoginError.stranded(at: "/gate/error")) {
            try await gate.signIn(at: try visitor.authorizationURL(["redirect_uri": "https://evil.example/"]))
        }
        await #expect(throws: ScriptedLoginError.self) {
            try await gate.signIn(at: visitor.server.url)
        }
    }
}

extension ThunderIDVisitor {
    /// Signs in at the hosted page, up to the assertion.
    fileprivate func signInAtGate(
        _ changes: [String: String?] = [:]
    ) async throws -> (authID: String, assertion: String) {
        let page = try #require(try await authorize(changes).location)
        let prompt = try await flow(["executionId": .string(page.parameter("executionId") ?? "")])
        let step = try await resume(prompt, ["action": "action_001", "inputs": credentials])
        return (try #require(page.parameter("authId")), try #require(step["assertion"]?.stringValue))
    }

    fileprivate func callback(_ authID: String, _ assertion: String) async throws -> URL? {
        let answer = try await post(
            "/oauth2/auth/callback", json: ["authId": .string(authID), "assertion": .string(assertion)])
        #expect(answer.status == 200)
        return answer["redirect_uri"]?.stringValue.flatMap(URL.init(string:))
    }
}
