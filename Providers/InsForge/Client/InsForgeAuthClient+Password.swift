import Foundation
import IdentityKit

/// Sign-up and sign-in with a password, and setting a new password.
extension InsForgeAuthClient {
    /// Creates an account. The user is signed in at once unless the project requires verification.
    /// - Parameters:
    ///   - email: the address of the new user.
    ///   - password: the password, which must follow the project's rules.
    ///   - name: the display name.
    ///   - redirectTo: the app's address to which a link in the verification mail leads; required if the project
    ///     verifies by link.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/userAlreadyExists`` or
    ///   ``InsForgeAuthError/weakPassword(_:)``; or `CancellationError`.
    public func signUp(
        email: String, password: String, name: String? = nil, redirectTo: String? = nil
    ) async throws -> SignUpResponse {
        let start = now
        return try await perform { project in
            let address = try redirectTo.map { try RedirectAddress($0) }
            let response = try await expectMail(.verifyEmail, at: address, unless: { $0.hasSession }) {
                try await project.api.signUp(
                    email: email, password: Secret(password), name: name, redirectTo: address?.url.absoluteString)
            }
            if let session = SessionResponse(response) {
                try await begin(session, since: start)
                project.callbacks.forget()
            }
            return response
        }
    }

    /// Signs in with e-mail address and password.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/invalidCredentials`` or
    ///   ``InsForgeAuthError/emailNotVerified``; or `CancellationError`.
    @discardableResult
    public func signIn(email: String, password: String) async throws -> SignInResponse {
        try await perform { _ in
            SignInResponse(
                try await openSession { try await $0.createSession(email: email, password: Secret(password)) })
        }
    }

    /// Sends a mail with a code or a link to set a new password. The response is the same for an unknown address.
    /// - Parameters:
    ///   - email: the address of the account.
    ///   - redirectTo: the app's address to which a link in the mail leads; required if the project resets passwords by
    ///     link.
    /// - Throws: ``InsForgeAuthError``, or `CancellationError`.
    public func sendPasswordReset(email: String, redirectTo: String? = nil) async throws {
        try await perform { project in
            let address = try redirectTo.map { try RedirectAddress($0) }
            try await expectMail(.resetPassword, at: address) {
                try await project.api.sendPasswordReset(email: email, redirectTo: address?.url.absoluteString)
            }
        }
    }

    /// Exchanges the code from a reset mail for the token that ``resetPassword(otp:newPassword:)`` needs.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/invalidCode(_:)``; or `CancellationError`.
    public func exchangeResetPasswordToken(
        email: String, code: String
    ) async throws -> ResetPasswordTokenResponse {
        try await perform { try await $0.api.exchangeResetCode(email: email, code: Secret(code)) }
    }

    /// Sets a new password. Sessions are neither opened nor ended.
    /// - Parameters:
    ///   - otp: the token from ``exchangeResetPasswordToken(email:code:)``, or from the callback of a mailed link.
    ///   - newPassword: the new password. If it is too weak, the token can be used again.
    /// - Throws: ``InsForgeAuthError``, such as ``InsForgeAuthError/weakPassword(_:)``; or `CancellationError`.
    public func resetPassword(otp: String, newPassword: String) async throws {
        try await perform { try await $0.api.resetPassword(token: Secret(otp), newPassword: Secret(newPassword)) }
    }
}

extension SessionResponse {
    /// Creates the session that a sign-up opened; `nil` if the address must be verified first.
    init?(_ response: SignUpResponse) {
        guard let user = response.user, let accessToken = response.accessToken else { return nil }
        self.init(
            user: user, accessToken: Secret(accessToken), refreshToken: response.refreshToken.map { Secret($0) })
    }
}
