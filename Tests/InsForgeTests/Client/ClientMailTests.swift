import Foundation
import IdentityKit
import InsForge
import IdentityLocalServers
import Testing

/// Proving an address, signing in by mail, and setting a new password.
@Suite struct ClientMailTests {
    @Test("Verifying an address signs in")
    func verifying() async throws {
        try await InsForgeFixture.run({ $0.requireEmailVerification = true }) { fixture in
            let auth = fixture.client().auth
            let response = try await auth.signUp(email: "new@example.org", password: "horse-battery-9", name: "New")
            #expect(response.needsEmailVerification && !response.hasSession && auth.getSession() == nil)
            let verified = try await auth.verifyEmail(email: "new@example.org", code: fixture.mailedCode)
            #expect(verified.user.emailVerified)
            #expect(auth.getSession()?.user == verified.user)
            #expect(auth.getSession()?.accessToken == verified.accessToken)
        }
    }

    @Test("Another mail right away is refused with the time to wait, and replaces the code later")
    func resending() async throws {
        try await InsForgeFixture.run({
            $0.requireEmailVerification = true
            $0.mailInterval = .seconds(60)
        }) { fixture in
            let auth = fixture.client().auth
            _ = try await auth.signUp(email: "new@example.org", password: "horse-battery-9")
            let first = fixture.mailedCode
            await #expect(throws: InsForgeAuthError.rateLimited(retryAfter: .seconds(60))) {
                try await auth.resendVerificationEmail(email: "new@example.org")
            }
            fixture.clock.advance(by: .seconds(60))
            try await auth.resendVerificationEmail(email: "new@example.org")
            if first != fixture.mailedCode {
                await #expect(throws: InsForgeAuthError.self) {
                    try await auth.verifyEmail(email: "new@example.org", code: first)
                }
            }
            _ = try await auth.verifyEmail(email: "new@example.org", code: fixture.mailedCode)
        }
    }

    @Test("The limit of an IP address is told with the header's time")
    func limits() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = fixture.client().auth
            for number in 1...5 { try await auth.sendSignInCode(email: "a\(number)@example.org") }
            fixture.clock.advance(by: .seconds(300))
            await #expect(throws: InsForgeAuthError.rateLimited(retryAfter: .seconds(600))) {
                try await auth.sendSignInCode(email: "a6@example.org")
            }
        }
    }

    @Test("A mailed code signs in; a wrong one does not, and neither does one for another purpose")
    func codes() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = fixture.client().auth
            let email = fixture.server.user.email
            try await auth.sendSignInCode(email: email)
            let code = fixture.mailedCode
            await #expect(throws: InsForgeAuthError.invalidCode("Invalid or expired verification code")) {
                try await auth.signIn(email: email, code: code == "000000" ? "111111" : "000000")
            }
            await #expect(throws: InsForgeAuthError.invalidCode("Invalid or expired verification code")) {
                try await auth.verifyEmail(email: email, code: code)
            }
            #expect(try await auth.signIn(email: email, code: code).user.id == fixture.server.user.id)
        }
    }

    @Test("A password is reset by code; a weak one uses nothing up, and sessions go on")
    func resetByCode() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = try await fixture.signedInClient().auth
            let email = fixture.server.user.email
            try await auth.sendPasswordReset(email: email)
            let token = try await auth.exchangeResetPasswordToken(email: email, code: fixture.mailedCode)
            #expect(token.expiresAt == fixture.clock.now + 24 * 3600)
            #expect(token.token.count == 64)
            await #expect(throws: InsForgeAuthError.weakPassword("Password must contain at least 6 characters long")) {
                try await auth.resetPassword(otp: token.token, newPassword: "x")
            }
            try await auth.resetPassword(otp: token.token, newPassword: "new horse")
            await #expect(throws: InsForgeAuthError.invalidCode("Invalid or expired verification token")) {
                try await auth.resetPassword(otp: token.token, newPassword: "newer horse")
            }
            #expect(try await auth.getCurrentUser()?.email == email)
            await #expect(throws: InsForgeAuthError.invalidCredentials) {
                try await auth.signIn(email: email, password: fixture.server.user.password)
            }
            try await auth.signIn(email: email, password: "new horse")
        }
    }

    @Test("An unknown address is told nothing about itself")
    func unknown() async throws {
        try await InsForgeFixture.run { fixture in
            let auth = fixture.client().auth
            try await auth.resendVerificationEmail(email: "nobody@example.org")
            fixture.clock.advance(by: .seconds(60))
            try await auth.sendPasswordReset(email: "nobody@example.org")
            #expect(fixture.server.outbox.isEmpty)
        }
    }

    @Test("Without a mail provider, and with one that fails, each is its own error")
    func mailProvider() async throws {
        try await InsForgeFixture.run({ $0.requireEmailVerification = true }) { fixture in
            let auth = fixture.client().auth
            fixture.server.reconfigure { $0.mailDelivery = .failing }
            await #expect(throws: InsForgeAuthError.verificationMailFailed) {
                try await auth.signUp(email: "new@example.org", password: "horse-battery-9")
            }
            await #expect(throws: InsForgeAuthError.mailFailed) {
                try await auth.resendVerificationEmail(email: "new@example.org")
            }
            let notConfigured = InsForgeAuthError.notConfigured(
                "No email provider is configured. Configure and enable custom SMTP, then retry. Cloud-linked projects can "
                    + "use the managed email provider.")
            fixture.server.reconfigure { $0.mailDelivery = .notConfigured }
            fixture.clock.advance(by: .seconds(60))
            await #expect(throws: notConfigured) {
                try await auth.resendVerificationEmail(email: "new@example.org")
            }
        }
    }

    @Test("Apple's token is refused with another nonce, Google's with another audience")
    func idTokens() async throws {
        try await InsForgeFixture.run({ $0.oAuthProviders = ["apple", "google"] }) { fixture in
            let auth = fixture.client().auth
            let nonce = AppleNonce(raw: "raw-nonce-1")
            #expect(nonce.hashed == "bef53b3c45cc1de4b7ef424e18831896dc04065c79b42250431fa69cd123e1e3")
            let token = Secret(try fixture.server.nativeIDToken(from: .apple, nonce: nonce.hashed))
            await #expect(throws: InsForgeAuthError.idTokenRefused("Failed to verify Apple ID token")) {
                try await auth.signIn(with: .apple(token: token, nonce: try AppleNonce()))
            }
            _ = try await auth.signIn(with: .apple(token: token, nonce: nonce))
            let google = Secret(try fixture.server.nativeIDToken(from: .google, audience: "other"))
            await #expect(throws: InsForgeAuthError.idTokenRefused("Failed to verify Google ID token")) {
                try await auth.signIn(with: .google(token: google))
            }
            // A brand-new user comes without providers.
            let identity = LocalInsForgeServer.ProviderIdentity(email: "nova@example.org", name: "Nova")
            let fresh = Secret(try fixture.server.nativeIDToken(from: .google, for: identity))
            let user = try await auth.signIn(with: .google(token: fresh)).user
            #expect(user.providers == nil && user.metadata == nil && user.profile?.name == "Nova")
        }
    }
}
