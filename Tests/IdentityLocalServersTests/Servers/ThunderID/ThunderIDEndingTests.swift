import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID ways a flow stops and ends", .stopsServers)
struct ThunderIDEndingTests {
    @Test("Something to read waits for a call without action and inputs")
    func displayOnly() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.notice("New terms")]))
        let shown = try await visitor.passPassword(verbose: true)
        #expect(shown.flowStatus == "INCOMPLETE" && shown["type"] == "VIEW")
        #expect(shown.additional("message") == "New terms")
        #expect(shown["data"]?["inputs"] == nil)
        #expect(shown["data"]?["actions"] == nil)
        #expect(shown["data"]?["meta"] != nil)
        let done = try await visitor.resume(shown)
        #expect(done.flowStatus == "COMPLETE")
        #expect(done["assertion"] != nil)
        #expect(done["data"] == [:])
    }

    @Test("A flow may complete with nothing, or with something to read")
    func noAssertion() async throws {
        let nothing = try await ThunderIDVisitor.start(signIn: .init(ending: .nothing)).passPassword()
        #expect(nothing.flowStatus == "COMPLETE" && nothing["assertion"] == nil)
        #expect(nothing["data"] == [:])
        let notice = try await ThunderIDVisitor.start(signIn: .init(ending: .notice("Wait for approval")))
            .passPassword()
        #expect(notice.flowStatus == "COMPLETE" && notice["type"] == nil)
        #expect(notice.additional("message") == "Wait for approval")
        #expect(notice["assertion"] == nil)
    }

    @Test("A failure that nothing catches is an ERROR without a new token, and the execution stays")
    func refusal() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.refusal]))
        let refused = try await visitor.passPassword()
        #expect(refused.status == 200 && refused.flowStatus == "ERROR")
        #expect(refused.errorCode == "FET-1028")
        #expect(refused["challengeToken"] == nil)
        #expect(refused["type"] == nil)
        #expect(refused["data"] == [:])
        #expect(refused["errorAssertion"] == nil, "nobody waits for a native flow")
    }

    @Test("Without a prompt the task asks by itself: no actions, and after a failure the same inputs with the error")
    func promptless() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(methods: [.promptlessPassword]))
        let first = try await visitor.start("AUTHENTICATION", verbose: true)
        #expect(first.identifiers == ["username", "password"])
        #expect(first.input("username")?["ref"] == nil)
        #expect(first.actions.isEmpty)
        #expect(first["data"]?["meta"] == nil)
        let wrong = try await visitor.resume(first, inputs: ["username": "ada", "password": "no"])
        #expect(wrong.errorCode == "FET-1005")
        #expect(wrong.identifiers == ["username", "password"])
        #expect(wrong.actions.isEmpty)
        #expect(try await visitor.resume(wrong, ["inputs": visitor.credentials])["assertion"] != nil)
    }

    // MARK: Failures that an authorization request waits for

    @Test("A failed flow of an authorization request says so in an assertion, which denies access at the callback")
    func errorAssertion() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: .init(steps: [.refusal]))
        let page = try #require(try await visitor.authorize().location)
        let refused = try await visitor.passPassword(at: page)
        #expect(refused.flowStatus == "ERROR")
        let assertion = try #require(refused["errorAssertion"])
        #expect(try claims(of: assertion)["authorization_request_id"]?.stringValue == page.parameter("authId"))
        let target = try await visitor.post(
            "/oauth2/auth/callback",
            json: ["authId": .string(page.parameter("authId") ?? ""), "assertion": assertion])
        let address = try #require(target["redirect_uri"]?.stringValue.flatMap(URL.init(string:)))
        #expect(address.absoluteString.hasPrefix("com.example.app://callback?"))
        #expect(address.parameter("error") == "access_denied")
        #expect(address.parameter("iss") == visitor.server.issuer)
        #expect(address.parameter("state") == "st-1")
        #expect(address.parameter("code") == nil)
    }

    @Test("The page can go on after an ERROR: the challenge token is still good, and so is the authorization request")
    func errorIsNotTheEnd() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let page = try #require(try await visitor.authorize().location)
        let first = try await visitor.flow(["executionId": .string(page.parameter("executionId") ?? "")])
        let stale = try await visitor.flow(["executionId": first["executionId"] ?? .null])
        #expect(stale.errorCode == "ICS-1002")
        #expect(stale["errorAssertion"] != nil)
        let done = try await visitor.resume(first, ["action": "action_001", "inputs": visitor.credentials])
        #expect(done["assertion"] != nil)
    }

    // MARK: Lost answers

    @Test("An answer that is lost takes the challenge token with it: the execution cannot go on")
    func lostChallengeToken() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let first = try await visitor.startSignIn()
        visitor.server.http.fail(.dropAnswer, pathPrefix: "/flow/execute")
        // Over a fresh connection: on a kept one the loader would try once more by itself.
        let newcomer = ThunderIDVisitor(server: visitor.server, clock: visitor.clock)
        await #expect(throws: TransportError.self) {
            try await newcomer.resume(first, inputs: ["username": "ada"])
        }
        let stale = try await visitor.resume(first, ["action": "action_001", "inputs": visitor.credentials])
        #expect(stale.flowStatus == "ERROR" && stale.errorCode == "ICS-1002")
    }
}

extension ThunderIDVisitor {
    /// Gets past the password of the execution behind a sign-in page.
    func passPassword(at page: URL, cookie: String? = nil) async throws -> Answer {
        let first = try await flow(
            ["executionId": .string(try #require(page.parameter("executionId")))],
            headers: cookie.map { ["Cookie": $0] } ?? [:])
        return try await resume(first, ["action": "action_001", "inputs": credentials])
    }
}
