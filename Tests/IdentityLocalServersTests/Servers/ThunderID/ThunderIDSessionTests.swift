import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("ThunderID single sign-on and sign-out", .stopsServers)
struct ThunderIDSessionTests {
    private static let flow = LocalThunderIDServer.SignInFlow(keepsSession: true)

    @Test("A sign-in leaves a cookie, and with it the next one completes at once")
    func session() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let prompt = try await visitor.startSignIn()
        #expect(prompt.identifiers == ["username", "password"])
        #expect(prompt.errorCode == "FET-1081", "the first prompt says why it is there")
        let done = try await visitor.resume(prompt, ["action": "action_001", "inputs": visitor.credentials])
        let header = try #require(done.header("Set-Cookie"))
        #expect(header.hasSuffix("; Path=/; HttpOnly; SameSite=Lax"))
        let name = try #require(header.split(separator: "=").first)
        #expect(name.hasPrefix("tid_sso_"))
        #expect(name.count == "tid_sso_".count + 16)
        #expect(visitor.server.sessionCount == 1)

        let silent = try await visitor.start("AUTHENTICATION", headers: ["Cookie": try cookie(of: done)])
        #expect(silent.flowStatus == "COMPLETE")
        #expect(try claims(of: silent["assertion"])["sub"]?.stringValue == visitor.server.user.id)
        #expect(silent.header("Set-Cookie") == nil)
        let stranger = try await visitor.start("AUTHENTICATION", headers: ["Cookie": "\(name)=guess"])
        #expect(stranger.flowStatus == "INCOMPLETE")
    }

    @Test("The shipped flow keeps no session")
    func noSession() async throws {
        let visitor = try await ThunderIDVisitor.start()
        let done = try await visitor.passPassword()
        #expect(done.header("Set-Cookie") == nil)
        #expect(visitor.server.sessionCount == 0)
    }

    @Test("A session keeps the time of its sign-in, and one that is too old for the request does not do")
    func maximumAge() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let cookie = try cookie(of: try await visitor.passPassword())
        let signedInAt = Int64(visitor.clock.now.timeIntervalSince1970)
        visitor.clock.advance(by: .seconds(100))
        let page = try #require(try await visitor.authorize(["max_age": "100"]).location)
        let done = try await visitor.open(page, cookie)
        let tokens = try await visitor.redeem(try await visitor.code(for: page, done))
        #expect(try claims(of: tokens["id_token"])["auth_time"] == .integer(signedInAt))

        visitor.clock.advance(by: .seconds(1))
        let late = try #require(try await visitor.authorize(["max_age": "100"]).location)
        #expect(try await visitor.open(late, cookie).errorCode == "FET-1082")
        // An age that is no number demands nothing.
        let unread = try #require(try await visitor.authorize(["max_age": "soon"]).location)
        #expect(try await visitor.open(unread, cookie).errorCode == nil)
    }

    // MARK: Sign-out

    @Test("A native sign-out ends the session and takes the cookie away")
    func nativeSignOut() async throws {
        let visitor = try await ThunderIDVisitor.start(signIn: Self.flow)
        let cookie = try cookie(of: try await visitor.passPassword())
        let done = try await visitor.start("SIGNOUT", headers: ["Cookie": cookie])
        #expect(done.flowStatus == "COMPLETE" && done["assertion"] == nil)
        #expect(done.header("Set-Cookie")?.contains("=; Path=/; Max-Age=0") == true)
        #expect(visitor.server.sessionCount == 0)
        #expect(try await visitor.start("AUTHENTICATION", headers: ["Cookie": cookie]).flowStatus == "INCOMPLETE")
    }

    @Test("A sign-out may ask first, and its prompt waits for the action")
    func confirmation() async throws {
        let visitor = try await ThunderIDVisitor.start(
            .init {
                $0.signIn = Self.flow
                $0.signOutConfirmation = .always
            }
        )
        let cookie = try cookie(of: try await visitor.passPassword())
        let asked = try await visitor.start("SIGNOUT", verbose: true, headers: ["Cookie": cookie])
        #expect(asked["data"]?["actions"]?.arrayValue?.first?["type"] == "CONFIRM")
        #expect(asked["data"]?["inputs"] == nil)
        #expect(asked["data"]?["meta"]?.stringValue?.contains("action_confirm") == true, "stored as text")
        let waiting = try await visitor.resume(asked)
        #expect(waiting.actions == ["action_confirm"])
        #expect(visitor.server.sessionCount == 1)
        let done = try await visitor.flow(
            [
                "executionId": waiting["executionId"] ?? .null,
                "challengeToken": waiting["challengeToken"] ?? .null, "action": "action_confirm",
            ], headers: ["Cookie": cookie])
        #expect(done.flowStatus == "COMPLETE")
        #expect(visitor.server.sessionCount == 0)
    }

    @Test("A sign-out by redirect asks unless an ID token shows whose it is", arguments: [false, true])
    func redirectSignOut(isHinted: Bool) async throws {
        let visitor = try await ThunderIDVisitor.start(
            .init {
                $0.signIn = Self.flow
                $0.signOutConfirmation = .withoutHint
            }
        )
        let cookie = try cookie(of: try await visitor.passPassword())
        let tokens = try await visitor.signInByHand()
        let hint = isHinted ? ("id_token_hint", tokens["id_token"]?.stringValue ?? "") : nil
        let answer = try await visitor.get(
            "/oauth2/logout",
            query: [
                ("client_id", visitor.server.application.clientID),
                ("post_logout_redirect_uri", "com.example.app://signed-out"), ("state", "st-2"),
            ] + [hint].compactMap { $0 })
        let page = try #require(answer.location)
        #expect(page.path == "/gate/signout")
        var step = try await visitor.open(page, cookie)
        #expect((step.actions == ["action_confirm"]) == !isHinted)
        if !isHinted {
            step = try await visitor.flow(
                [
                    "executionId": step["executionId"] ?? .null, "challengeToken": step["challengeToken"] ?? .null,
                    "action": "action_confirm",
                ], headers: ["Cookie": cookie])
        }
        #expect(step.flowStatus == "COMPLETE")
        let landing = try await visitor.post(
            "/oauth2/logout/callback", json: ["logoutId": .string(page.parameter("logoutId") ?? "")])
        #expect(landing["redirect_uri"] == "com.example.app://signed-out?state=st-2")
        #expect(try await visitor.refresh(tokens["refresh_token"]).status == 200, "a sign-out revokes no token")
    }

    /// What a browser sends back.
    private func cookie(of answer: ThunderIDVisitor.Answer) throws -> String {
        try #require(answer.header("Set-Cookie")?.split(separator: ";").first.map(String.init))
    }
}

extension ThunderIDVisitor {
    /// The first call of the page's execution, with the browser's cookie.
    fileprivate func open(_ page: URL, _ cookie: String) async throws -> Answer {
        try await flow(
            ["executionId": .string(try #require(page.parameter("executionId")))], headers: ["Cookie": cookie])
    }

    /// Signs in by redirect, without a session.
    fileprivate func signInByHand() async throws -> Answer {
        let page = try #require(try await authorize().location)
        return try await redeem(try await code(for: page, try await passPassword(at: page)))
    }
}
