import Foundation
import IdentityKit

/// Requests about e-mail addresses. The three requests that send a mail have the same response for known and unknown
/// addresses.
extension InsForgeAPI {
    func sendVerification(email: String, redirectTo: String?) async throws {
        try await perform(call("auth/email/send-verification", mail(email, redirectTo)))
    }

    /// Sends `POST /api/auth/email/verify`, which opens a session if the code is right.
    func verifyEmail(email: String, code: Secret) async throws -> SessionResponse {
        try await send(call("auth/email/verify", ["email": .string(email), "otp": .string(code.reveal())]))
    }

    func sendSignInCode(email: String) async throws {
        try await perform(call("auth/email/send-otp", mail(email, nil)))
    }

    func sendPasswordReset(email: String, redirectTo: String?) async throws {
        try await perform(call("auth/email/send-reset-password", mail(email, redirectTo)))
    }

    func exchangeResetCode(email: String, code: Secret) async throws -> ResetPasswordTokenResponse {
        try await send(
            call(
                "auth/email/exchange-reset-password-token",
                ["email": .string(email), "code": .string(code.reveal())]))
    }

    /// Sends `POST /api/auth/email/reset-password`. The server expects the reset token in the member `otp`.
    func resetPassword(token: Secret, newPassword: Secret) async throws {
        try await perform(
            call(
                "auth/email/reset-password",
                ["newPassword": .string(newPassword.reveal()), "otp": .string(token.reveal())]))
    }

    private func mail(_ email: String, _ redirectTo: String?) -> [String: JSONValue] {
        var body: [String: JSONValue] = ["email": .string(email)]
        if let redirectTo { body["redirectTo"] = .string(redirectTo) }
        return body
    }
}
