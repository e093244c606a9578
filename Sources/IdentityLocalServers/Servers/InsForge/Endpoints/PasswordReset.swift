import Foundation
import IdentityKit

// Endpoints that set a new password after a mail with a code or a link.

extension InsForgeCall {
    func sendPasswordReset() throws -> LocalResponse {
        try mailProof(for: .resetPassword, feature: "password reset", name: "password reset")
    }

    /// `POST /api/auth/email/exchange-reset-password-token`: exchanges the mailed code for a token that can set the password.
    func exchangeResetCode() throws -> LocalResponse {
        var fields = fields
        let email = fields.email()
        let code = fields.string("code", .sixDigits("Reset password code"))
        try fields.check()
        try backend.mailCodes.redeem(code: code, email: email, for: .resetPassword)
        let row = backend.mailCodes.issueToken(to: email, for: .resetPassword)
        return .insForge(["token": .string(row.value), "expiresAt": .string(row.expiresAt.insForgeText)])
    }

    /// `GET /api/auth/email/reset-password-link`: redirects the browser to the app with the link's token. The token is
    /// neither used up nor checked for its expiry.
    func openResetLink() throws -> LocalResponse {
        let (row, redirect) = try openedLink(for: .resetPassword)
        let outcome = redirect.with([
            "token": row.value, "insforge_status": "ready", "insforge_type": "reset_password",
        ])
        return .insForgeRedirect(to: outcome.href)
    }

    /// `POST /api/auth/email/reset-password`: sets the password. The field `otp` has the token of a mailed link, or the
    /// token that was issued for a mailed code. The user's sessions continue, and no new session is opened.
    func resetPassword() throws -> LocalResponse {
        var fields = fields
        let password = fields.string("newPassword")
        let token = fields.string("otp", .notEmpty("OTP/token is required"))
        try fields.check()
        // Check the password before the token is used up, so that the token still works if the person sends another password.
        try backend.rules.passwordPolicy.check(password)
        let email = try backend.mailCodes.redeem(token: token, for: .resetPassword)
        guard backend.update(email: email, { $0.setPassword(password) }) != nil else {
            throw InsForgeServerError.internalError("User not found")
        }
        return .insForge(["message": "Password reset successfully. Please login with your new password."])
    }
}
