import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge sessions: delivery, refresh, log-out", .stopsServers)
struct InsForgeSessionTests {
    private static let clearedCookie =
        "insforge_refresh_token=; Path=/api/auth; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; Secure; SameSite=None"

    // MARK: Delivery

    @Test(
        "Mobile, desktop and server clients get the refresh token in the body",
        arguments: ["mobile", "desktop", "server"])
    func nativeDelivery(clientType: String) async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.signIn(clientType: clientType)
        #expect(Set(answer.json.objectValue?.keys.map { $0 } ?? []) == ["user", "accessToken", "refreshToken"])
        #expect(answer.header("Set-Cookie") == nil)
    }

    @Test("Every other client type is a browser", arguments: ["web", "ios", "Mobile", "", "mobile&client_type=mobile"])
    func webDelivery(clientType: String) async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.signIn(clientType: clientType)
        #expect(Set(answer.json.objectValue?.keys.map { $0 } ?? []) == ["user", "accessToken", "csrfToken"])
        #expect(answer.cookie?.hasPrefix("insforge_refresh_token=ey") == true)
    }

    // MARK: Refresh

    @Test("A refresh token works again and again, under either spelling of its field")
    func refreshSpellings() async throws {
        let probe = try await InsForgeProbe.start()
        let token = try await probe.signIn().text("refreshToken")
        let bodies: [JSONValue] = [
            ["refreshToken": .string(token)], ["refresh_token": .string(token)],
            ["refreshToken": nil, "refresh_token": .string(token)],
            ["refreshToken": .string(token), "refresh_token": "ignored"],
        ]
        for body in bodies {
            #expect(try await probe.send("POST", "/api/auth/refresh?client_type=server", body).status == 200)
        }
        #expect(probe.server.counters.refreshes == 4)
    }

    @Test("Within one second a refresh returns the same refresh token, later another one with the same nonce")
    func refreshTokenIdentity() async throws {
        let probe = try await InsForgeProbe.start()
        let token = try await probe.signIn().text("refreshToken")
        #expect(try await probe.refresh(token).text("refreshToken") == token)
        probe.clock.advance(by: .seconds(1))
        let refreshed = try await probe.refresh(token).text("refreshToken")
        #expect(refreshed != token)
        #expect(ReadToken.claims(refreshed)?["csrfNonce"] == ReadToken.claims(token)?["csrfNonce"])
    }

    @Test("A session slides: it lives while it is refreshed every seven days, and each token only seven days")
    func slidingWindow() async throws {
        let probe = try await InsForgeProbe.start()
        let first = try await probe.signIn().text("refreshToken")
        probe.clock.advance(by: .seconds(604_799))
        let second = try await probe.refresh(first).text("refreshToken")
        probe.clock.advance(by: .seconds(1))
        let expired = Failure.unauthorized("Invalid or expired refresh token")
        #expect(try await probe.refresh(first).failure == expired)
        #expect(try await probe.refresh(second).status == 200)
    }

    @Test("Forgetting client_type looks for a cookie")
    func refreshWithoutClientType() async throws {
        let probe = try await InsForgeProbe.start()
        let token = try await probe.signIn().text("refreshToken")
        let answer = try await probe.send("POST", "/api/auth/refresh", ["refreshToken": .string(token)])
        #expect(answer.failure == .unauthorized("No refresh token provided"))
        #expect(answer.header("Set-Cookie") == Self.clearedCookie)
    }

    @Test("Refresh names what is wrong with the token")
    func refreshFailures() async throws {
        let probe = try await InsForgeProbe.start { $0.accessTokenAlgorithm = .hs256 }
        let session = try await probe.signIn()
        func failure(_ body: JSONValue) async throws -> Failure {
            try await probe.send("POST", "/api/auth/refresh?client_type=mobile", body).failure
        }
        #expect(try await failure(["refreshToken": ""]) == .invalid("refreshToken: refreshToken is required"))
        #expect(
            try await failure(["refresh_token": 5]) == .invalid("refreshToken: Expected string, received number"))
        // An access token has no issuer, which is checked with the signature.
        #expect(
            try await failure(["refreshToken": .string(session.text("accessToken"))])
                == .unauthorized("Invalid or expired refresh token"))
        let admin = try await probe.adminSignIn()
        let adminToken = try #require(admin.cookie?.split(separator: "=").last.map(String.init))
        #expect(
            try await failure(["refreshToken": .string(adminToken)])
                == .unauthorized("Invalid refresh session type"))
        probe.server.deleteUser(id: probe.server.user.id)
        #expect(
            try await failure(["refreshToken": .string(session.text("refreshToken"))])
                == .unauthorized("User not found"))
        #expect(probe.server.counters.refreshes == 0)
    }

    @Test("A browser refreshes with its cookie and a CSRF token that stays the same")
    func webRefresh() async throws {
        let probe = try await InsForgeProbe.start()
        let session = try await probe.signIn(clientType: "web")
        let cookie = try #require(session.cookie)
        probe.clock.advance(by: .seconds(60))
        let answer = try await probe.send(
            "POST", "/api/auth/refresh", headers: ["Cookie": cookie, "X-CSRF-Token": session.text("csrfToken")])
        #expect(answer.status == 200)
        #expect(answer.text("csrfToken") == session.text("csrfToken"))
        #expect(answer.cookie?.hasPrefix("insforge_refresh_token=ey") == true)
        #expect(answer.cookie != cookie)
        #expect(answer.json["refreshToken"] == nil)
    }

    @Test("A wrong CSRF token is refused and leaves the cookie; a dead session loses it")
    func webRefreshFailures() async throws {
        let probe = try await InsForgeProbe.start()
        let session = try await probe.signIn(clientType: "web")
        let cookie = try #require(session.cookie)
        for headers in [["Cookie": cookie], ["Cookie": cookie, "X-CSRF-Token": "0"]] {
            let answer = try await probe.send("POST", "/api/auth/refresh", headers: headers)
            #expect(answer.failure == Failure(403, "FORBIDDEN", "Invalid CSRF token"))
            #expect(answer.header("Set-Cookie") == nil)
        }
        probe.server.deleteUser(id: probe.server.user.id)
        let answer = try await probe.send(
            "POST", "/api/auth/refresh", headers: ["Cookie": cookie, "X-CSRF-Token": session.text("csrfToken")])
        #expect(answer.failure == .unauthorized("User not found"))
        #expect(answer.header("Set-Cookie") == Self.clearedCookie)
    }

    @Test("In the strict mode a refresh token works once, and no two are alike")
    func singleUse() async throws {
        let probe = try await InsForgeProbe.start { $0.legacy.refreshTokensAreSingleUse = true }
        let first = try await probe.signIn().text("refreshToken")
        let second = try await probe.refresh(first).text("refreshToken")
        #expect(try await probe.refresh(first).status == 401)
        #expect(try await probe.refresh(second).status == 200)
    }

    @Test("A server of before March 2026 reads the older spelling alone")
    func oldServer() async throws {
        let probe = try await InsForgeProbe.start { $0.legacy.refreshReadsSnakeCaseOnly = true }
        let token = try await probe.signIn().text("refreshToken")
        #expect(try await probe.refresh(token).status == 401)
        let answer = try await probe.send(
            "POST", "/api/auth/refresh?client_type=mobile", ["refresh_token": .string(token)])
        #expect(answer.status == 200)
    }

    // MARK: Log-out

    @Test("Logging out a native client changes nothing")
    func nativeLogOut() async throws {
        let probe = try await InsForgeProbe.start()
        let session = try await probe.signIn()
        let answer = try await probe.send("POST", "/api/auth/logout?client_type=mobile")
        #expect(answer.json == ["success": true, "message": "Logged out successfully"])
        #expect(answer.header("Set-Cookie") == nil)
        #expect(try await probe.refresh(session.text("refreshToken")).status == 200)
    }

    @Test("Logging out a browser wants the CSRF token of a valid session and nothing of an invalid one")
    func webLogOut() async throws {
        let probe = try await InsForgeProbe.start()
        let session = try await probe.signIn(clientType: "web")
        let cookie = try #require(session.cookie)
        func logOut(_ headers: [String: String]) async throws -> LocalAnswer {
            try await probe.send("POST", "/api/auth/logout", headers: headers)
        }
        let refused = try await logOut(["Cookie": cookie])
        #expect(refused.failure == Failure(403, "FORBIDDEN", "Invalid CSRF token"))
        #expect(refused.header("Set-Cookie") == nil)

        let stale = try await logOut(["Cookie": "insforge_refresh_token=stale"])
        #expect(stale.status == 200)
        #expect(stale.header("Set-Cookie") == Self.clearedCookie)

        let done = try await logOut(["Cookie": cookie, "X-CSRF-Token": session.text("csrfToken")])
        #expect(done.status == 200)
        #expect(done.header("Set-Cookie") == Self.clearedCookie)
    }

    // MARK: Administrator

    @Test("An administrator's session lives in a cookie of its own and takes no user's token")
    func adminSession() async throws {
        let probe = try await InsForgeProbe.start()
        let wrong = try await probe.send(
            "POST", "/api/auth/admin/sessions", ["username": "admin", "password": "wrong"])
        #expect(wrong.failure == .unauthorized("Invalid admin credentials"))

        let session = try await probe.send(
            "POST", "/api/auth/admin/sessions?client_type=mobile",
            ["username": " admin ", "password": "change-this-password"])
        let cookie = try #require(session.cookie)
        let headers = ["Cookie": cookie, "X-CSRF-Token": session.text("csrfToken")]
        let refreshed = try await probe.send("POST", "/api/auth/admin/refresh", headers: headers)
        #expect(refreshed.json["admin"] == ["sub": "local:admin"])
        #expect(refreshed.text("csrfToken") == session.text("csrfToken"))
        let current = try await probe.send(
            "GET", "/api/auth/admin/sessions/current", bearer: refreshed.text("accessToken"))
        #expect(current.json == ["admin": ["sub": "local:admin"]])
        #expect(try await probe.send("POST", "/api/auth/admin/logout", headers: ["Cookie": cookie]).status == 403)
        #expect(try await probe.send("POST", "/api/auth/admin/logout", headers: headers).status == 200)

        let user = try await probe.signIn().text("refreshToken")
        let answer = try await probe.send(
            "POST", "/api/auth/admin/refresh", headers: ["Cookie": "insforge_admin_refresh_token=\(user)"])
        #expect(answer.failure == .unauthorized("Invalid refresh session type"))
    }
}
