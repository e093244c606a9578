import Foundation
import IdentityKit
import IdentityLocalServers
import Testing

/// Limits by network address, e-mail address and recipient (Backends/InsForge.md#rate-limits).
@Suite(.stopsServers) struct InsForgeRateLimitTests {
    private static func limited(_ configuration: inout LocalInsForgeServer.Configuration) {
        configuration.enforcesRateLimits = true
    }

    private func mail(_ email: String, _ probe: InsForgeProbe, from address: String? = nil) async throws -> LocalAnswer
    {
        try await probe.send(
            "POST", "/api/auth/email/send-otp", ["email": .string(email)],
            headers: address.map { ["X-Forwarded-For": $0] } ?? [:])
    }

    @Test("Five mails in 15 minutes for each IP address, told by headers; the sixth is told when to come back")
    func mailBucket() async throws {
        let probe = try await InsForgeProbe.start(Self.limited)
        for number in 1...5 {
            let answer = try await mail("a\(number)@example.org", probe)
            #expect(answer.status == 202 && answer.header("RateLimit-Policy") == "5;w=900")
            #expect(answer.header("RateLimit-Limit") == "5")
            #expect(answer.header("RateLimit-Remaining") == "\(5 - number)")
            #expect(answer.header("RateLimit-Reset") == "900")
            #expect(answer.header("Retry-After") == nil)
        }
        probe.clock.advance(by: .seconds(100))
        let refused = try await mail("a6@example.org", probe)
        #expect(refused.status == 429 && refused.text("error") == "TOO_MANY_REQUESTS")
        #expect(refused.text("message").hasPrefix("Too many send email verification requests from this IP"))
        #expect(refused.header("Retry-After") == "800")
        #expect(refused.header("RateLimit-Remaining") == "0")
        #expect(try await mail("a7@example.org", probe, from: "198.51.100.7").status == 202)
        probe.clock.advance(by: .seconds(800))
        #expect(try await mail("a8@example.org", probe).status == 202)
    }

    @Test("The three calls that mail share one bucket and one cooldown for each address, which has no header")
    func cooldown() async throws {
        let probe = try await InsForgeProbe.start(Self.limited)
        let email: JSONValue = ["email": "Robin@Example.org"]
        #expect(try await probe.send("POST", "/api/auth/email/send-otp", email).status == 202)
        probe.clock.advance(by: .seconds(18))
        for path in ["send-otp", "send-verification", "send-reset-password"] {
            let refused = try await probe.send("POST", "/api/auth/email/\(path)", ["email": "robin@example.org"])
            #expect(
                refused.failure
                    == Failure(
                        429, "TOO_MANY_REQUESTS",
                        "Please wait 42 seconds before requesting another code for this email"))
            #expect(refused.header("Retry-After") == nil)
        }
        probe.clock.advance(by: .seconds(42))
        #expect(try await probe.send("POST", "/api/auth/email/send-verification", email).status == 202)
    }

    @Test("A request that is malformed counts, too")
    func malformed() async throws {
        let probe = try await InsForgeProbe.start(Self.limited)
        let (first, second) = (try await mail("nonsense", probe), try await mail("nonsense", probe))
        #expect(first.status == 400 && second.status == 429)
    }

    @Test("Ten failed attempts with a code for each IP address, whatever the code is for; successes are free")
    func codes() async throws {
        let probe = try await InsForgeProbe.start(Self.limited)
        for _ in 1...12 {
            _ = try await mail("nova@example.org", probe, from: UUID().uuidString)
            let code = try #require(probe.server.outbox.last?.code)
            let answer = try await probe.send(
                "POST", "/api/auth/sessions?client_type=mobile",
                ["method": "otp", "email": "nova@example.org", "otp": .string(code)])
            #expect(answer.status == 200 && answer.header("RateLimit-Limit") == "10")
            probe.clock.advance(by: .seconds(60))
        }
        probe.clock.advance(by: .seconds(900))
        let wrong: JSONValue = ["email": "nova@example.org", "otp": "000000", "code": "000000", "method": "otp"]
        let paths = ["sessions", "email/verify", "email/exchange-reset-password-token", "email/reset-password"]
        for number in 0..<10 {
            #expect(try await probe.send("POST", "/api/auth/" + paths[number % 4], wrong).status == 400)
        }
        for path in paths {
            let refused = try await probe.send("POST", "/api/auth/" + path, wrong)
            #expect(refused.status == 429 && refused.header("Retry-After") == "900")
            #expect(refused.text("message").hasPrefix("Too many verification attempts from this IP"))
        }
        // A password has no limit.
        #expect(try await probe.signIn().status == 200)
    }

    @Test("Thirty native sign-ins for each IP address, good or bad")
    func idTokens() async throws {
        let probe = try await InsForgeProbe.start(Self.limited)
        let bad: JSONValue = ["provider": "google", "token": "x"]
        for _ in 1...30 { #expect(try await probe.send("POST", "/api/auth/id-token", bad).status == 400) }
        let refused = try await probe.send("POST", "/api/auth/id-token", bad)
        #expect(refused.status == 429)
        #expect(refused.text("message").hasPrefix("Too many ID token sign-in attempts from this IP"))
    }

    @Test("A mail server of one's own wants a minute between two mails, the sign-up's among them")
    func interval() async throws {
        let probe = try await InsForgeProbe.start {
            $0.mailInterval = .seconds(60)
            $0.requireEmailVerification = true
        }
        #expect(try await probe.signUp("new@example.org").status == 200)
        probe.clock.advance(by: .seconds(20))
        let again = try await probe.send("POST", "/api/auth/email/send-verification", ["email": "new@example.org"])
        #expect(again.failure == Failure(429, "RATE_LIMITED", "Too many emails to this address. Retry after 40s."))
        #expect(again.header("Retry-After") == nil)
        // Mailed for another purpose just now, so the account is made and its mail is not sent.
        _ = try await mail("late@example.org", probe)
        let late = try await probe.signUp("late@example.org")
        #expect(late.status == 429 && late.text("error") == "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED")
        #expect(try await probe.signUp("late@example.org").status == 409)
    }

    @Test("The limits can be switched off")
    func switchedOff() async throws {
        let probe = try await InsForgeProbe.start { $0.enforcesRateLimits = false }
        for _ in 1...12 {
            let answer = try await mail("nova@example.org", probe)
            #expect(answer.status == 202)
        }
    }
}
