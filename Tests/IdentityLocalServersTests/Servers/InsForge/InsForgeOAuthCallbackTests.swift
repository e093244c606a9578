import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge OAuth: what the browser meets on its way back", .stopsServers)
struct InsForgeOAuthCallbackTests {
    @Test(
        "A refusal at the provider reaches the app as a text, form-encoded",
        arguments: [
            ("google", "com.example.app:/cb?error=No+authorization+code+or+token+provided"),
            ("custom/mock", "com.example.app:/cb?error=Authentication+failed"),
        ])
    func denial(path: String, expected: String) async throws {
        let probe = try await InsForgeProbe.start()
        let callback = try await probe.browse(path, redirect: "com.example.app:/cb", extra: "&login_hint=deny")
        #expect(callback.absoluteString == expected)
    }

    @Test(
        "A closed sign-up reaches the app as a text",
        arguments: [
            ("google", "User signups are disabled for this project."), ("custom/mock", "Authentication failed"),
        ])
    func closedSignUp(path: String, text: String) async throws {
        let probe = try await InsForgeProbe.start { $0.disableSignup = true }
        let callback = try await probe.browse(path, extra: "&login_hint=new%40example.org")
        #expect(callback.formParameters == ["error": text])
    }

    @Test("Without a good state there is nowhere to go, and the browser shows an error")
    func badStates() async throws {
        let probe = try await InsForgeProbe.start()
        let state = try #require(try await probe.startOAuth("google").formParameters["state"])
        let forged = state + "A"
        func callback(_ target: String) async throws -> Failure {
            try await probe.send("GET", "/api/auth/oauth/" + target).failure
        }
        #expect(try await callback("google/callback?code=x") == .invalid("State parameter is required"))
        #expect(
            try await callback("google/callback?code=x&state=\(forged)") == .invalid("Invalid state parameter"))
        #expect(
            try await callback("custom/mock/callback?code=x&state=\(forged)")
                == Failure(500, "INTERNAL_ERROR", "invalid signature"))
        #expect(
            try await callback("custom/mock/callback?code=x&state=bad")
                == Failure(500, "INTERNAL_ERROR", "jwt malformed"))
        probe.clock.advance(by: .seconds(3600))
        #expect(try await callback("google/callback?code=x&state=\(state)") == .invalid("Invalid state parameter"))
        #expect(
            try await callback("custom/mock/callback?code=x&state=\(state)")
                == Failure(500, "INTERNAL_ERROR", "jwt expired"))
    }

    @Test("Only the custom callback compares the provider with the state's")
    func providerMismatch() async throws {
        let probe = try await InsForgeProbe.start()
        let callback = try await probe.providerCallback("google")
        let other = callback.replacingOccurrences(of: "oauth/google/", with: "oauth/custom/mock/")
        #expect(try await probe.send("GET", other).header("Location") == "app://cb?error=Authentication+failed")
        let sibling = callback.replacingOccurrences(of: "oauth/google/", with: "oauth/github/")
        #expect(try await probe.send("GET", sibling).locationParameters["insforge_code"] != nil)
        // The provider's code was used up.
        #expect(try await probe.send("GET", callback).locationParameters["error"] != nil)
    }

    @Test("Apple's callback is a form")
    func formCallback() async throws {
        let probe = try await InsForgeProbe.start()
        let callback = try await probe.providerCallback("google")
        let parts = callback.split(separator: "?")
        let answer = try await probe.send(
            "POST", String(parts[0]), text: String(parts[1]),
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(answer.locationParameters["insforge_code"] != nil)
    }

    @Test("A redirect that is no longer allowed is not followed", arguments: ["google", "custom/mock"])
    func revokedRedirect(path: String) async throws {
        let probe = try await InsForgeProbe.start()
        let callback = try await probe.providerCallback(path)
        probe.server.reconfigure { $0.allowedRedirectURLs = ["app://other"] }
        let answer = try await probe.send("GET", callback)
        #expect(answer.failure == .invalid("app://cb is not in the allowed redirect URLs"))
    }

    @Test("A server of before January 2026 puts tokens into the address")
    func legacyCallback() async throws {
        let probe = try await InsForgeProbe.start { $0.legacy.callbackCarriesTokens = true }
        let parameters = try await probe.browse("google").formParameters
        #expect(Set(parameters.keys) == ["access_token", "user_id", "email", "name", "csrf_token"])
        #expect(parameters["user_id"] == probe.server.user.id)
        #expect(try await probe.currentSession(parameters["access_token"] ?? "").status == 200)
    }

    @Test("A page that leads nowhere is said to be where the browser is left")
    func strandedBrowser() async throws {
        let probe = try await InsForgeProbe.start()
        let page = probe.server.url.appendingPathComponent("api/auth/oauth/google/callback")
        await #expect(throws: ScriptedLoginError.stranded(at: page.path)) {
            try await ScriptedLogin().signIn(at: page)
        }
    }
}
