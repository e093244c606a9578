import Foundation
import IdentityKit

/// `POST /api/auth/sessions`: a session for a password, or for a mailed code (InsForge contract, sign in).
struct SignIn: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        var fields = call.fields
        let method = fields.has("method") ? fields.string("method") : "password"
        let user =
            switch method {
            case "password": try userByPassword(&fields, in: call.backend)
            case "otp": try userByCode(&fields, in: call.backend)
            default:
                throw InsForgeFailure.invalidInput(
                    "method: Invalid discriminator value. Expected 'password' | 'otp'")
            }
        call.backend.counters.withLock { $0.signIns += 1 }
        return try call.session(for: user)
    }

    private func userByPassword(_ fields: inout InsForgeFields, in backend: InsForgeBackend) throws -> InsForgeUser {
        let email = fields.email()
        let password = fields.string("password")
        try fields.check()
        return try backend.user(email: email, password: password)
    }

    private func userByCode(_ fields: inout InsForgeFields, in backend: InsForgeBackend) throws -> InsForgeUser {
        let email = fields.email()
        let code = fields.string("otp", .sixDigits("OTP code"))
        let name = fields.optionalName()
        try fields.check()
        try backend.mailCodes.redeem(code: code, email: email, for: .signIn)

        guard let user = backend.users.user(email: email) else {
            guard !backend.rules.disableSignup else { throw InsForgeFailure.signupDisabled }
            let user = InsForgeUser(
                email: email, emailVerified: true,
                profile: name.map { ["name": .string($0)] } ?? [:], at: backend.time.now)
            try backend.users.insert(user)
            return user
        }
        guard !user.emailVerified else { return user }
        // Whoever signed up with this address had not proven it, so their password must not open the account.
        let verified = backend.users.update(id: user.id) {
            $0.emailVerified = true
            $0.setPassword(nil)
            $0.updatedAt = backend.time.now
        }
        return verified ?? user
    }
}

extension InsForgeBackend {
    /// The user with these credentials. The same error for a wrong password, an unknown address, and a user without a
    /// password.
    func user(email: String, password: String) throws -> InsForgeUser {
        guard let user = users.user(email: email), user.hasPassword(password) else {
            throw InsForgeFailure.unauthorized("Invalid credentials")
        }
        guard user.emailVerified || !rules.requireEmailVerification else {
            throw InsForgeFailure(
                403, "FORBIDDEN", "Email verification required",
                nextActions: "Please verify your email address before logging in")
        }
        return user
    }
}
