import Foundation
import IdentityKit

extension InsForgeCall {
    /// `POST /api/auth/sessions`: opens a session for a password or a mailed code.
    func signIn() throws -> LocalResponse {
        var fields = fields
        switch fields.has("method") ? fields.string("method") : "password" {
        case "password": return try countedSession(for: userByPassword(&fields))
        case "otp": return try limited(.codes) { try countedSession(for: userByCode(&fields)) }
        default:
            throw InsForgeServerError.invalidInput("method: Invalid discriminator value. Expected 'password' | 'otp'")
        }
    }

    private func countedSession(for user: InsForgeUser) throws -> LocalResponse {
        backend.counters.withLock { $0.signIns += 1 }
        return try session(for: user)
    }

    private func userByPassword(_ fields: inout InsForgeFields) throws -> InsForgeUser {
        let email = fields.email()
        let password = fields.string("password")
        try fields.check()
        return try backend.notingRefusal(of: email) { try backend.user(email: email, password: password) }
    }

    private func userByCode(_ fields: inout InsForgeFields) throws -> InsForgeUser {
        let email = fields.email()
        let code = fields.string("otp", .sixDigits("OTP code"))
        let name = fields.optionalName()
        try fields.check()
        try backend.notingRefusal(of: email) {
            try backend.mailCodes.redeem(code: code, email: email, for: .signIn)
        }

        guard let user = backend.users.user(email: email) else {
            guard !backend.rules.disableSignup else { throw InsForgeServerError.signupDisabled }
            let user = InsForgeUser(
                email: email, emailVerified: true,
                profile: name.map { ["name": .string($0)] } ?? [:], at: backend.time.now)
            try backend.users.insert(user)
            return user
        }
        guard !user.emailVerified else { return user }
        // Nobody proved to own this address before now, so another person may have chosen the password. Remove it, so that
        // it does not open the account.
        let verified = backend.users.update(id: user.id, at: backend.time.now) {
            $0.emailVerified = true
            $0.setPassword(nil)
        }
        return verified ?? user
    }
}

extension InsForgeBackend {
    /// Returns the user with this address and password.
    /// - Throws: `AUTH_UNAUTHORIZED` (401) for a wrong password, an unknown address or a user without a password;
    ///   `FORBIDDEN` (403) if the project requires a verified address and the user's address is not verified.
    func user(email: String, password: String) throws -> InsForgeUser {
        guard let user = users.user(email: email), user.hasPassword(password) else {
            throw InsForgeServerError.unauthorized("Invalid credentials")
        }
        guard user.emailVerified || !rules.requireEmailVerification else {
            throw InsForgeServerError(
                403, "FORBIDDEN", "Email verification required",
                nextActions: "Please verify your email address before logging in")
        }
        return user
    }
}
