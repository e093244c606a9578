import Foundation
import IdentityKit

// Setting a new password by mail (InsForge contract, password reset).

/// `POST /api/auth/email/send-reset-password`.
struct SendPasswordReset: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let backend = call.backend
        let method = backend.rules.resetPasswordMethod
        let (email, redirectTo) = try call.mailTarget(method: method, feature: "password reset")
        if backend.users.user(email: email) != nil {
            if let redirectTo {
                try backend.sendLink(
                    to: email, for: .resetPassword, path: "reset-password-link", redirectTo: redirectTo)
            } else {
                let code = backend.mailCodes.issueCode(to: email, for: .resetPassword)
                try backend.send(code: code, to: email, for: .resetPassword)
            }
        }
        return .accepted(
            "If your email is registered, we have sent you a password reset \(method.rawValue). "
                + "Please check your inbox.")
    }
}

/// `POST /api/auth/email/exchange-reset-password-token`: the mailed code for a token that sets the password.
struct ExchangeResetCode: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        var fields = call.fields
        let email = fields.email()
        let code = fields.string("code", .sixDigits("Reset password code"))
        try fields.check()
        try call.backend.mailCodes.redeem(code: code, email: email, for: .resetPassword)
        let row = call.backend.mailCodes.issueToken(to: email, for: .resetPassword)
        return .insForge(["token": .string(row.value), "expiresAt": .string(row.expiresAt.insForgeText)])
    }
}

/// `GET /api/auth/email/reset-password-link`: hands the token on to the app and uses nothing up.
struct OpenResetLink: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let (row, redirect) = try call.openedLink(for: .resetPassword)
        let outcome = redirect.with([
            "token": row.value, "insforge_status": "ready", "insforge_type": "reset_password",
        ])
        return .insForgeRedirect(to: outcome.href)
    }
}

/// `POST /api/auth/email/reset-password`: sets the password, for the token in the field named `otp`. It opens no session
/// and ends none.
struct ResetPassword: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let backend = call.backend
        var fields = call.fields
        let password = fields.string("newPassword")
        let token = fields.string("otp", .notEmpty("OTP/token is required"))
        try fields.check()
        // Before the token is used up, so that a better password can follow.
        try backend.rules.passwordPolicy.check(password)
        let email = try backend.mailCodes.redeem(token: token, for: .resetPassword)
        let user = backend.users.user(email: email).flatMap { user in
            backend.users.update(id: user.id) {
                $0.setPassword(password)
                $0.updatedAt = backend.time.now
            }
        }
        guard user != nil else { throw InsForgeFailure.internalError("User not found") }
        return .insForge(["message": "Password reset successfully. Please login with your new password."])
    }
}
