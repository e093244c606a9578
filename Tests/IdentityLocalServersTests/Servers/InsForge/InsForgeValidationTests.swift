import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge input: complaints are worded and ordered as the validator does", .stopsServers)
struct InsForgeValidationTests {
    /// A request that is refused, and what is said about it.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let target: String
        let body: String
        let message: String
        var testDescription: String { "\(target) \(body)" }
    }

    @Test(
        "Complaints",
        arguments: [
            Refusal(target: "sessions", body: "{}", message: "email: Required, password: Required"),
            Refusal(target: "sessions", body: #"{"method":null}"#, message: "email: Required, password: Required"),
            Refusal(
                target: "sessions", body: #"{"method":"magic"}"#,
                message: "method: Invalid discriminator value. Expected 'password' | 'otp'"),
            Refusal(
                target: "sessions", body: #"{"email":" a@example.org","password":5}"#,
                message: "email: Invalid email format, password: Expected string, received number"),
            Refusal(
                target: "sessions", body: #"{"email":"a..b@example.org","password":null}"#,
                message: "email: Invalid email format, password: Expected string, received null"),
            Refusal(
                target: "sessions", body: #"{"method":"otp","email":"a@example.org","otp":"12345٦"}"#,
                message: "otp: OTP code must be a 6-digit numeric code"),
            Refusal(target: "sessions", body: "[]", message: ": Expected object, received array"),
            Refusal(
                target: "email/exchange-reset-password-token", body: #"{"email":"a@example.org","code":"1"}"#,
                message: "code: Reset password code must be a 6-digit numeric code"),
            Refusal(
                target: "email/send-verification", body: #"{"email":"a@example.org","redirectTo":"nowhere"}"#,
                message: "redirectTo: Invalid url"),
            Refusal(
                target: "oauth/exchange", body: #"{"code":"x","code_verifier":"short+"}"#,
                message: "code_verifier: Code verifier must be at least 43 characters, "
                    + "code_verifier: Code verifier must be base64url encoded"),
            Refusal(
                target: "oauth/exchange", body: #"{"code":"","code_verifier":["x"]}"#,
                message: "code: Exchange code is required, code_verifier: Expected string, received array"),
        ])
    func complaints(refusal: Refusal) async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.send("POST", "/api/auth/" + refusal.target, text: refusal.body)
        #expect(answer.failure == .invalid(refusal.message))
    }

    @Test("Sign-up complains about the name and the redirect, and ignores what it does not know")
    func signUp() async throws {
        let probe = try await InsForgeProbe.start()
        let long = JSONValue.string(String(repeating: "n", count: 101))
        for (extra, message) in [
            (["name": "  "], "name: Name is required"),
            (["name": long], "name: Name must be less than 100 characters"),
            (
                ["redirectTo": "x", "autoConfirm": "yes"],
                "redirectTo: Invalid url, autoConfirm: Expected boolean, received string"
            ),
        ] as [([String: JSONValue], String)] {
            let answer = try await probe.signUp("new@example.org", adding: extra)
            #expect(answer.failure == .invalid(message))
        }
        #expect(try await probe.signUp("new@example.org", adding: ["unknown": [1]]).status == 200)
    }

    @Test("A body that is not JSON is refused before anything else", arguments: ["{", "nope", "5"])
    func malformedJSON(text: String) async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.send("POST", "/api/auth/users", text: text)
        #expect(answer.status == 400 && answer.text("error") == "INVALID_INPUT")
        #expect(answer.text("nextActions") == "Please ensure your request body contains valid JSON")
    }

    @Test("Without a JSON media type the body counts as empty")
    func otherMediaType() async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.send(
            "POST", "/api/auth/sessions", text: #"{"email":"a@example.org","password":"x"}"#,
            headers: ["Content-Type": "text/plain"])
        #expect(answer.failure == .invalid("email: Required, password: Required"))
    }

    @Test("An unknown path or method is a JSON 404, or a page where the dashboard is served")
    func notFound() async throws {
        let probe = try await InsForgeProbe.start()
        for (method, path) in [
            ("GET", "/api/auth/nothing"), ("DELETE", "/api/auth/sessions"), ("GET", "/auth/sign-in"),
            ("GET", "/api/auth/oauth/shared/callback/state"),
        ] {
            let answer = try await probe.send(method, path)
            #expect(answer.failure == Failure(404, "NOT_FOUND", "Endpoint \(path) not found"))
        }
        probe.server.reconfigure { $0.legacy.notFoundIsHTML = true }
        let page = try await probe.send("GET", "/api/auth/nothing")
        #expect(page.status == 404 && page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.json == .null)
    }

    @Test("Paths are matched without regard to case and a trailing slash")
    func lenientPaths() async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.send("GET", "/api/Auth/Public-Config/")
        #expect(answer.status == 200)
    }

    @Test("The public configuration shows the project's rules")
    func publicConfig() async throws {
        let probe = try await InsForgeProbe.start {
            $0.requireEmailVerification = true
            $0.verifyEmailMethod = .link
            $0.passwordPolicy.passwordMinLength = 10
            $0.disableSignup = true
        }
        let configuration = try await probe.send("GET", "/api/auth/public-config").json
        #expect(configuration["oAuthProviders"] == ["github", "google"])
        #expect(configuration["customOAuthProviders"] == ["mock"])
        #expect(configuration["requireEmailVerification"] == true)
        #expect(configuration["verifyEmailMethod"] == "link")
        #expect(configuration["resetPasswordMethod"] == "code")
        #expect(configuration["passwordMinLength"] == 10)
        #expect(configuration["disableSignup"] == true)
    }
}
