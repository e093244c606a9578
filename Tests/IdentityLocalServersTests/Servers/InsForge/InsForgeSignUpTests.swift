import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

@Suite("InsForge sign-up and password sign-in", .stopsServers)
struct InsForgeSignUpTests {
    @Test("Sign-up opens a session, lowercases the address and trims the name")
    func session() async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.signUp("Mira@Example.org", adding: ["name": "  Mira "])
        let user = try #require(answer.json["user"])
        #expect(user["email"] == "mira@example.org")
        #expect(user["emailVerified"] == false)
        #expect(user["providers"] == ["email"])
        #expect(user["profile"] == ["name": "Mira"])
        #expect(answer.json["requireEmailVerification"] == false)
        #expect(try await probe.currentSession(answer.text("accessToken")).json["user"] == user)
        #expect(probe.server.outbox.isEmpty)
    }

    @Test("With verification required there is no user and no session, only a mail")
    func verificationRequired() async throws {
        let probe = try await InsForgeProbe.start { $0.requireEmailVerification = true }
        let answer = try await probe.signUp("new@example.org")
        #expect(answer.status == 200)
        #expect(answer.json == ["accessToken": nil, "requireEmailVerification": true])
        let mail = try #require(probe.server.outbox.first)
        #expect(mail.recipient == "new@example.org")
        #expect(mail.purpose == .verifyEmail)
        #expect(mail.code?.count == 6)

        let early = try await probe.signIn(as: "new@example.org", password: "correct horse")
        #expect(early.failure == Failure(403, "FORBIDDEN", "Email verification required"))
        #expect(early.text("nextActions") == "Please verify your email address before logging in")
        let wrong = try await probe.signIn(as: "new@example.org", password: "wrong")
        #expect(wrong.failure == .unauthorized("Invalid credentials"))
    }

    @Test("A verification link needs somewhere allowed to lead to, before the user is made")
    func verificationLink() async throws {
        let probe = try await InsForgeProbe.start {
            $0.requireEmailVerification = true
            $0.verifyEmailMethod = .link
            $0.allowedRedirectURLs = ["app://verified"]
        }
        let missing = try await probe.signUp("new@example.org")
        #expect(missing.text("message") == "redirectTo is required when link-based email verification is enabled")
        let foreign = try await probe.signUp("new@example.org", adding: ["redirectTo": "app://other"])
        #expect(foreign.failure == .invalid("app://other is not in the allowed redirect URLs"))
        #expect(try await probe.signUp("new@example.org", adding: ["redirectTo": "app://verified"]).status == 200)
        #expect(probe.server.outbox.map(\.code) == [nil])
        #expect(probe.server.outbox.first?.link?.hasPrefix(probe.server.url.absoluteString) == true)
    }

    @Test(
        "When the mail cannot be sent the user exists nevertheless",
        arguments: [
            LocalInsForgeServer.MailDelivery.notConfigured, .failing,
        ])
    func deliveryFailure(delivery: LocalInsForgeServer.MailDelivery) async throws {
        let probe = try await InsForgeProbe.start {
            $0.requireEmailVerification = true
            $0.mailDelivery = delivery
        }
        let answer = try await probe.signUp("new@example.org")
        #expect(answer.status == 500 && answer.text("error") == "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED")
        #expect(
            try await probe.signUp("new@example.org").failure
                == Failure(409, "AUTH_EMAIL_EXISTS", "User already exists"))
    }

    @Test("An administrator gets an access token and nothing to keep, past a closed sign-up")
    func administrator() async throws {
        let probe = try await InsForgeProbe.start { $0.disableSignup = true }
        #expect(
            try await probe.signUp("new@example.org").failure
                == Failure(403, "AUTH_SIGNUP_DISABLED", "User signups are disabled for this project."))
        let answer = try await probe.send(
            "POST", "/api/auth/users",
            ["email": "new@example.org", "password": "correct horse", "autoConfirm": true],
            bearer: probe.server.apiKey)
        #expect(
            Set(answer.json.objectValue?.keys.map { $0 } ?? [])
                == ["user", "accessToken", "requireEmailVerification"])
        #expect(answer.json["user"]?["emailVerified"] == true)
        #expect(answer.header("Set-Cookie") == nil)
    }

    @Test("An administrator's user is verified only when the administrator says so", arguments: [true, false])
    func administratorWithVerification(autoConfirm: Bool) async throws {
        let probe = try await InsForgeProbe.start { $0.requireEmailVerification = true }
        let answer = try await probe.send(
            "POST", "/api/auth/users",
            ["email": "new@example.org", "password": "correct horse", "autoConfirm": .bool(autoConfirm)],
            bearer: probe.server.apiKey)
        #expect(answer.json == ["accessToken": nil, "requireEmailVerification": .bool(!autoConfirm)])
        let session = try await probe.signIn(as: "new@example.org", password: "correct horse")
        #expect(session.status == (autoConfirm ? 200 : 403))
        #expect(probe.server.outbox.isEmpty)
    }

    @Test("No other caller can confirm an address by asking")
    func autoConfirmIsForAdministrators() async throws {
        let probe = try await InsForgeProbe.start()
        let answer = try await probe.signUp("new@example.org", adding: ["autoConfirm": true])
        #expect(answer.json["user"]?["emailVerified"] == false)
    }

    @Test("The password policy names everything it asks for")
    func passwordPolicy() async throws {
        let probe = try await InsForgeProbe.start {
            $0.passwordPolicy.passwordMinLength = 8
            $0.passwordPolicy.requireNumber = true
            $0.passwordPolicy.requireLowercase = true
            $0.passwordPolicy.requireUppercase = true
            $0.passwordPolicy.requireSpecialChar = true
        }
        let refusal = Failure.invalid(
            "Password must contain at least 8 characters long, at least one number, "
                + "at least one lowercase letter, at least one uppercase letter, at least one special character")
        for password in ["Aa1!aaa", "Aaaaaaa!", "AAAAAA1!", "aaaaaa1!", "Aaaaaaa1", #"Aaaaaa1""#, "Aaaaaa1~"] {
            let answer = try await probe.signUp("new@example.org", password: password)
            #expect(answer.failure == refusal)
        }
        #expect(try await probe.signUp("new@example.org", password: "Aaaaaa1!").status == 200)
    }

    @Test("Wrong password, unknown address and no password look the same")
    func invalidCredentials() async throws {
        let probe = try await InsForgeProbe.start()
        let code = try await probe.mailedCode(to: "otp@example.org")
        _ = try await probe.send(
            "POST", "/api/auth/sessions", ["method": "otp", "email": "otp@example.org", "otp": .string(code)])
        for email in [probe.server.user.email, "nobody@example.org", "otp@example.org"] {
            let answer = try await probe.signIn(as: .string(email), password: "wrong")
            #expect(answer.failure == .unauthorized("Invalid credentials"))
        }
        #expect(probe.server.counters.signIns == 1)
    }

    @Test("Bytes of a password after the 72nd do not count")
    func longPasswords() async throws {
        let probe = try await InsForgeProbe.start()
        let start = String(repeating: "p", count: 72)
        _ = try await probe.signUp("new@example.org", password: start + "one")
        for (password, status) in [(start + "two", 200), (String(start.dropLast()) + "x", 401)] {
            let answer = try await probe.signIn(as: "new@example.org", password: .string(password))
            #expect(answer.status == status)
        }
    }

    @Test("A server of before June 2026 wants no credential, and old user objects have no providers")
    func oldServer() async throws {
        let probe = try await InsForgeProbe.start {
            $0.legacy.signUpNeedsNoCredential = true
            $0.legacy.omitsProviders = true
        }
        let answer = try await probe.send(
            "POST", "/api/auth/users", ["email": "new@example.org", "password": "correct horse"])
        #expect(answer.status == 200 && answer.json["user"]?.objectValue?["providers"] == nil)
    }
}
