import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import Testing

/// What steers the server from outside, and the switches that imitate other servers.
@Suite(.stopsServers) struct InsForgeControlTests {
    private func control(
        _ server: LocalInsForgeServer, _ method: String, _ path: String, _ body: JSONValue? = nil
    ) async throws -> LocalAnswer {
        let url = try #require(server.controlURL).appendingPathComponent(path)
        return try await DefaultTransport.make().answer(to: URLRequest(method, url, json: body))
    }

    private func start() async throws -> InsForgeProbe {
        let clock = ManualClock()
        let server = try await LocalInsForgeServer.start(controlPort: 0, time: clock.timeSource).untilTestEnds()
        return InsForgeProbe(server: server, clock: clock)
    }

    @Test("The control surface has a port of its own, and only when it is asked for")
    func ports() async throws {
        let probe = try await start()
        #expect(probe.server.controlURL != nil && probe.server.controlURL != probe.server.url)
        let onServer = try await probe.send("GET", "/outbox")
        let onControl = try await control(probe.server, "GET", "api/auth/public-config")
        #expect(onServer.status == 404 && onControl.status == 404)
        #expect(try await InsForgeProbe.start().server.controlURL == nil)
    }

    @Test(
        "A page in a browser, and a name that was pointed at this machine, get nothing",
        arguments: [
            ("Origin", "https://attacker.example", 403), ("Origin", "null", 403), ("Sec-Fetch-Site", "cross-site", 403),
            ("Host", "attacker.example", 421), ("Sec-Fetch-Site", "none", 200),
        ])
    func foreignPages(header: String, value: String, status: Int) async throws {
        let probe = try await start()
        for (method, path) in [("GET", "tokens"), ("POST", "reset")] {
            var request = URLRequest(url: try #require(probe.server.controlURL).appendingPathComponent(path))
            request.httpMethod = method
            request.setValue(value, forHTTPHeaderField: header)
            #expect(try await DefaultTransport.make().data(for: request).1.statusCode == status, "\(path)")
        }
    }

    @Test("Rules, outbox, clock, failures and tokens")
    func steering() async throws {
        let probe = try await start()
        let server = probe.server
        #expect(
            try await control(
                server, "PATCH", "config", ["requireEmailVerification": true, "legacy.notFoundIsHTML": true]
            ).status == 200)
        #expect(try await probe.send("GET", "/nowhere").body.hasPrefix("<!DOCTYPE html>"))
        _ = try await probe.signUp("new@example.org")
        let mail = try await control(server, "GET", "outbox").json.arrayValue?.last
        #expect(mail?["recipient"] == "new@example.org" && mail?["purpose"] == "VERIFY_EMAIL")
        let code = try #require(mail?["code"]?.stringValue)

        #expect(
            try await control(server, "POST", "fail", ["path": "/api/auth/email", "status": 503]).status == 200)
        let verify: () async throws -> LocalAnswer = {
            try await probe.send(
                "POST", "/api/auth/email/verify?client_type=mobile",
                ["email": "new@example.org", "otp": .string(code)])
        }
        #expect(try await verify().status == 503)
        let session = try await verify()
        #expect(session.status == 200)
        let tokens = try await control(server, "GET", "tokens").json.arrayValue ?? []
        #expect(tokens.map { $0["kind"] } == ["access", "refresh"])
        #expect(tokens.last?["token"]?.stringValue == session.text("refreshToken"))

        #expect(try await probe.currentSession(session.text("accessToken")).status == 200)
        #expect(try await control(server, "POST", "clock", ["seconds": 900]).status == 200)
        #expect(try await probe.currentSession(session.text("accessToken")).status == 401)

        server.http.standingFaults.omitsDate = true
        #expect(try await control(server, "POST", "reset").status == 200)
        #expect(server.outbox.isEmpty && server.issuedTokens.isEmpty && !server.http.standingFaults.omitsDate)
        #expect(try await probe.refresh(session.text("refreshToken")).status == 401)
        #expect(try await probe.signUp("new@example.org").json["user"] != nil)
    }

    @Test(
        "What makes no sense is refused",
        arguments: [
            ("PATCH", "config", ["nonsense": true]), ("PATCH", "config", ["disableSignup": 1]), ("PATCH", "config", []),
            ("PATCH", "config", ["verifyEmailMethod": "pigeon"]), ("POST", "clock", ["seconds": -1]),
            ("POST", "clock", [:]), ("POST", "fail", ["path": "/"]), ("POST", "fail", ["path": "/", "status": 42]),
        ] as [(String, String, JSONValue)])
    func refused(method: String, path: String, body: JSONValue) async throws {
        let probe = try await start()
        let answer = try await control(probe.server, method, path, body)
        #expect(answer.status == 400)
    }

    // MARK: The anonymous key

    @Test("A new anonymous key works at once, the old one for as long as the administrator says")
    func rotation() async throws {
        let probe = try await InsForgeProbe.start()
        let old = probe.server.anonKey
        #expect(try await probe.send("POST", "/api/secrets/anon-key/rotate", [:], bearer: old).status == 401)
        let rotated = try await probe.send(
            "POST", "/api/secrets/anon-key/rotate", ["gracePeriodHours": 2], bearer: probe.server.apiKey)
        let key = rotated.text("anonKey")
        #expect(rotated.json["success"] == true && key.hasPrefix("anon_") && key.count == 69 && key != old)
        #expect(probe.server.anonKey == key)
        #expect(!rotated.text("oldKeyExpiresAt").isEmpty)
        func signUp(_ email: String, _ key: String) async throws -> Int {
            try await probe.send(
                "POST", "/api/auth/users?client_type=mobile",
                ["email": .string(email), "password": "correct horse"], bearer: key
            ).status
        }
        #expect(try await signUp("a@example.org", key) == 200)
        #expect(try await signUp("b@example.org", old) == 200)
        probe.clock.advance(by: .seconds(2 * 3600))
        #expect(try await signUp("c@example.org", old) == 401)
        #expect(try await signUp("c@example.org", key) == 200)
        for body in [["gracePeriodHours": "long"], ["gracePeriodHours": -1]] as [JSONValue] {
            let bad = try await probe.send(
                "POST", "/api/secrets/anon-key/rotate", body, bearer: probe.server.apiKey)
            #expect(bad.status == 400)
        }
    }

    // MARK: Other servers

    @Test("A server of before March 2026 hosts a page, which hands over a code or, still earlier, tokens")
    func hostedPage() async throws {
        let page =
            "/auth/sign-in?redirect=app%3A%2F%2Fcb%3Fx%3D1&client_type=mobile&code_challenge=\(InsForgeProbe.challenge)"
        let probe = try await InsForgeProbe.start { $0.legacy.servesHostedPage = true }
        let parameters = try await probe.send("GET", page).locationParameters
        #expect(parameters["x"] == "1")
        let code = try #require(parameters["insforge_code"])
        #expect(try await probe.exchange(code).status == 200)
        #expect(try await probe.send("GET", "/auth/sign-in").status == 200)

        probe.server.reconfigure { $0.legacy.callbackCarriesTokens = true }
        let tokens = try await probe.send("GET", page).locationParameters
        #expect(Set(tokens.keys) == ["access_token", "user_id", "email", "name", "csrf_token"])
        #expect(try await probe.currentSession(tokens["access_token"] ?? "").status == 200)
        #expect(try await InsForgeProbe.start().send("GET", page).status == 404)
    }

    @Test("A profile may hold anything, under any name")
    func oddProfile() async throws {
        let probe = try await InsForgeProbe.start { $0.user.profile = ["name": 7, "more": nil] }
        let user = try await probe.signIn().json["user"]
        #expect(user?["profile"] == ["name": 7, "more": nil])
    }

    @Test("An exchange whose answer is lost has used the code up")
    func droppedExchange() async throws {
        let probe = try await InsForgeProbe.start()
        let code = try await probe.oauthCode()
        probe.server.http.fail(.dropAnswer, pathPrefix: "/api/auth/oauth/exchange")
        await #expect(throws: TransportError.self) { try await probe.exchange(code) }
        #expect(try await probe.exchange(code).text("message") == "Invalid or expired code")
    }
}
