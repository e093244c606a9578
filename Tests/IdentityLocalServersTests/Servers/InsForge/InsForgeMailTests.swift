import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge mail: codes and links", .stopsServers)
struct InsForgeMailTests {
    private static let invalidCode = Failure.invalid("Invalid or expired verification code")
    private static let invalidToken = Failure.invalid("Invalid or expired verification token")

    // MARK: Verification by code

    @Test("A right code verifies the address and opens a session, once")
    func verifyByCode() async throws {
        let probe = try await InsForgeProbe.start { $0.requireEmailVerification = true }
        let code = try await probe.signUpCode("new@example.org")
        let answer = try await Self.verify(code, probe)
        #expect(answer.json["user"]?["emailVerified"] == true)
        #expect(try await probe.currentSession(answer.text("accessToken")).status == 200)
        #expect(try await probe.refresh(answer.text("refreshToken")).status == 200)
        #expect(try await Self.verify(code, probe).failure == Self.invalidCode)
    }

    @Test("The third wrong attempt uses the code up", arguments: [(2, 200), (3, 400)])
    func attempts(wrongAttempts: Int, status: Int) async throws {
        let probe = try await InsForgeProbe.start { $0.requireEmailVerification = true }
        let code = try await probe.signUpCode("new@example.org")
        for _ in 0..<wrongAttempts {
            #expect(try await Self.verify(Self.other(than: code), probe).failure == Self.invalidCode)
        }
        #expect(try await Self.verify(code, probe).status == status)
    }

    @Test("A code lives 15 minutes", arguments: [(900, 200), (901, 400)])
    func codeLifetime(seconds: Int, status: Int) async throws {
        let probe = try await InsForgeProbe.start { $0.requireEmailVerification = true }
        let code = try await probe.signUpCode("new@example.org")
        probe.clock.advance(by: .seconds(seconds))
        #expect(try await Self.verify(code, probe).status == status)
    }

    @Test("Sending again replaces the code and forgives the attempts")
    func resend() async throws {
        let probe = try await InsForgeProbe.start { $0.requireEmailVerification = true }
        let first = try await probe.signUpCode("new@example.org")
        for _ in 0..<3 { _ = try await Self.verify(Self.other(than: first), probe) }
        let answer = try await probe.send(
            "POST", "/api/auth/email/send-verification", ["email": "New@example.org"])
        #expect(answer.status == 202)
        #expect(
            answer.text("message")
                == "If your email is registered, we have sent you a verification code. Please check your inbox.")
        let second = try #require(probe.server.outbox.last?.code)
        #expect(probe.server.outbox.count == 2)
        if first != second { #expect(try await Self.verify(first, probe).failure == Self.invalidCode) }
        #expect(try await Self.verify(second, probe).status == 200)
    }

    @Test("An unknown address gets the same answer and no mail, with and without a mail provider")
    func unknownAddress() async throws {
        for delivery in [LocalInsForgeServer.MailDelivery.working, .notConfigured] {
            let probe = try await InsForgeProbe.start { $0.mailDelivery = delivery }
            for path in ["send-verification", "send-reset-password"] {
                let answer = try await probe.send(
                    "POST", "/api/auth/email/\(path)", ["email": "nobody@example.org"])
                #expect(answer.status == 202)
            }
            #expect(probe.server.outbox.isEmpty)
        }
    }

    @Test("A code of one purpose is worth nothing for another")
    func purposes() async throws {
        let probe = try await InsForgeProbe.start()
        let email = JSONValue.string(probe.server.user.email)
        let code = JSONValue.string(try await probe.mailedCode("send-reset-password", to: email))
        let verified = try await probe.send("POST", "/api/auth/email/verify", ["email": email, "otp": code])
        #expect(verified.failure == Self.invalidCode)
        let signedIn = try await probe.send(
            "POST", "/api/auth/sessions", ["method": "otp", "email": email, "otp": code])
        #expect(signedIn.failure == Self.invalidCode)
        let exchanged = try await probe.send(
            "POST", "/api/auth/email/exchange-reset-password-token", ["email": email, "code": code])
        #expect(exchanged.status == 200)
    }

    // MARK: Verification by link

    @Test("A link verifies the address, leads to the app with the outcome, and opens no session")
    func verifyByLink() async throws {
        let probe = try await InsForgeProbe.start(Self.links)
        let link = try await Self.signUpForLink(probe)
        // Some mail programs spell the token in upper case, which works, too.
        let (path, token) = (link.prefix { $0 != "=" }, link.drop { $0 != "=" })
        let opened = try await probe.send("GET", path + token.uppercased())
        #expect(
            opened.header("Location")
                == "app://verified?from=mail&insforge_status=success&insforge_type=verify_email")
        let again = try await probe.send("GET", link)
        #expect(
            again.header("Location")
                == "app://verified?from=mail&insforge_status=error&insforge_type=verify_email"
                + "&insforge_error=Invalid+or+expired+verification+token")
        let session = try await probe.signIn(as: "new@example.org", password: "correct horse")
        #expect(session.json["user"]?["emailVerified"] == true)
    }

    @Test("An expired link leads to the app, too")
    func expiredLink() async throws {
        let probe = try await InsForgeProbe.start(Self.links)
        let link = try await Self.signUpForLink(probe)
        probe.clock.advance(by: .seconds(24 * 3600 + 1))
        #expect(try await probe.send("GET", link).locationParameters["insforge_status"] == "error")
    }

    @Test("Where nothing can be led to, the browser shows an error")
    func brokenLinks() async throws {
        let probe = try await InsForgeProbe.start(Self.links)
        let link = try await Self.signUpForLink(probe)
        let unknown = String(repeating: "0", count: 64)
        for (token, complaint) in [
            (nil, "token: Required"), ("nonsense", "token: token must be a 64-character hexadecimal token"),
            (unknown, "Invalid or expired verification token"),
        ] {
            let query = token.map { "?token=\($0)" } ?? ""
            let answer = try await probe.send("GET", "/api/auth/email/verify-link\(query)")
            #expect(answer.failure == .invalid(complaint))
        }
        probe.server.reconfigure { $0.allowedRedirectURLs = ["app://elsewhere"] }
        #expect(
            try await probe.send("GET", link).failure
                == .invalid("app://verified?from=mail is not in the allowed redirect URLs"))
    }

    @Test("A link's token is no code, and a code is no link's token")
    func codesAndLinksAreDistinct() async throws {
        let probe = try await InsForgeProbe.start(Self.links)
        let link = try await Self.signUpForLink(probe)
        #expect(try await Self.verify("123456", probe).failure == Self.invalidCode)
        // The wrong code must not have used the link up.
        #expect(try await probe.send("GET", link).locationParameters["insforge_status"] == "success")
    }

    // MARK: Password reset

    @Test("A reset code is exchanged for a token, which sets the password once and ends no session")
    func resetByCode() async throws {
        let probe = try await InsForgeProbe.start()
        let email = JSONValue.string(probe.server.user.email)
        let session = try await probe.signIn()
        let code = JSONValue.string(try await probe.mailedCode("send-reset-password", to: email))
        let exchanged = try await probe.send(
            "POST", "/api/auth/email/exchange-reset-password-token", ["email": email, "code": code])
        #expect(exchanged.text("token").wholeMatch(of: #/[0-9a-f]{64}/#) != nil)
        #expect(
            exchanged.text("expiresAt")
                == Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                .format(probe.clock.now.addingTimeInterval(24 * 3600)))

        let token = JSONValue.string(exchanged.text("token"))
        func reset(_ password: JSONValue) async throws -> LocalAnswer {
            try await probe.send("POST", "/api/auth/email/reset-password", ["newPassword": password, "otp": token])
        }
        #expect(try await reset("short").status == 400)
        #expect(
            try await reset("new horse").json == [
                "message": "Password reset successfully. Please login with your new password."
            ])
        #expect(try await reset("newer horse").failure == Self.invalidToken)

        #expect(try await probe.signIn().status == 401)
        #expect(try await probe.signIn(as: email, password: "new horse").status == 200)
        #expect(try await probe.refresh(session.text("refreshToken")).status == 200)
    }

    @Test("A reset link hands the token on and uses nothing up")
    func resetByLink() async throws {
        let probe = try await InsForgeProbe.start { $0.resetPasswordMethod = .link }
        let email = JSONValue.string(probe.server.user.email)
        let without = try await probe.send("POST", "/api/auth/email/send-reset-password", ["email": email])
        #expect(without.status == 400)
        let sent = try await probe.send(
            "POST", "/api/auth/email/send-reset-password", ["email": email, "redirectTo": "app://reset"])
        #expect(sent.text("message").contains("password reset link"))
        let link = try #require(probe.server.outbox.last?.link)
        let target = String(link.dropFirst(probe.server.url.absoluteString.count))
        for _ in 0..<2 {
            let opened = try await probe.send("GET", target)
            let parameters = opened.locationParameters
            #expect(parameters["insforge_status"] == "ready")
            #expect(parameters["insforge_type"] == "reset_password")
            #expect(link.hasSuffix(parameters["token"] ?? "none"))
        }
        let token = try #require(try await probe.send("GET", target).locationParameters["token"])
        let reset = try await probe.send(
            "POST", "/api/auth/email/reset-password", ["newPassword": "new horse", "otp": .string(token)])
        #expect(reset.status == 200)
    }

    // MARK: Signing in with a code

    @Test("A mailed code signs an unknown address up, verified and without a password")
    func signUpByCode() async throws {
        let probe = try await InsForgeProbe.start()
        let sent = try await probe.send("POST", "/api/auth/email/send-otp", ["email": "new@example.org"])
        #expect(sent.status == 202)
        let code = try #require(probe.server.outbox.last?.code)
        let answer = try await Self.signIn(code, "new@example.org", probe)
        #expect(answer.json["user"]?["emailVerified"] == true)
        #expect(answer.json["user"]?["profile"] == ["name": "Nova"])
        #expect(answer.json["user"]?["providers"] == ["email"])
        #expect(try await Self.signIn(code, "new@example.org", probe).failure == Self.invalidCode)
    }

    @Test("A mailed code lives 5 minutes", arguments: [(300, 200), (301, 400)])
    func signInCodeLifetime(seconds: Int, status: Int) async throws {
        let probe = try await InsForgeProbe.start()
        let code = try await probe.mailedCode(to: "new@example.org")
        probe.clock.advance(by: .seconds(seconds))
        #expect(try await Self.signIn(code, "new@example.org", probe).status == status)
    }

    @Test("It takes the password from a user who never proved the address")
    func unprovenPassword() async throws {
        let probe = try await InsForgeProbe.start()
        _ = try await probe.signUp("new@example.org", adding: ["name": "Squatter"])
        let code = try await probe.mailedCode(to: "new@example.org")
        let answer = try await Self.signIn(code, "new@example.org", probe)
        #expect(answer.json["user"]?["profile"] == ["name": "Squatter"])
        #expect(try await probe.signIn(as: "new@example.org", password: "correct horse").status == 401)
    }

    @Test("With sign-up closed the code of an unknown address is used up for nothing")
    func closedSignUp() async throws {
        let probe = try await InsForgeProbe.start { $0.disableSignup = true }
        let code = try await probe.mailedCode(to: "new@example.org")
        #expect(
            try await Self.signIn(code, "new@example.org", probe).failure
                == Failure(403, "AUTH_SIGNUP_DISABLED", "User signups are disabled for this project."))
        #expect(try await Self.signIn(code, "new@example.org", probe).failure == Self.invalidCode)
    }

    // MARK: Helpers

    private static func links(_ configuration: inout LocalInsForgeServer.Configuration) {
        configuration.requireEmailVerification = true
        configuration.verifyEmailMethod = .link
    }

    /// The path and query of the link that was mailed.
    private static func signUpForLink(_ probe: InsForgeProbe) async throws -> String {
        _ = try await probe.signUp("new@example.org", adding: ["redirectTo": "app://verified?from=mail"])
        let link = try #require(probe.server.outbox.last?.link)
        return String(link.dropFirst(probe.server.url.absoluteString.count))
    }

    private static func verify(_ code: String, _ probe: InsForgeProbe) async throws -> LocalAnswer {
        try await probe.send(
            "POST", "/api/auth/email/verify?client_type=mobile", ["email": "new@example.org", "otp": .string(code)])
    }

    private static func signIn(_ code: String, _ email: String, _ probe: InsForgeProbe) async throws -> LocalAnswer {
        try await probe.send(
            "POST", "/api/auth/sessions?client_type=mobile",
            ["method": "otp", "email": .string(email), "otp": .string(code), "name": "Nova"])
    }

    private static func other(than code: String) -> String { code == "000000" ? "111111" : "000000" }
}
