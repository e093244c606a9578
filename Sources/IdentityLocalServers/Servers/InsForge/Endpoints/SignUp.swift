import Foundation
import IdentityKit

extension InsForgeCall {
    /// `POST /api/auth/users`: creates a user. Servers since June 2026 require an anonymous key, an API key or a JWT, but only
    /// for a sign-up, not for a sign-in. With `signUpNeedsNoCredential`, this server behaves like earlier ones.
    func signUp() throws -> LocalResponse {
        let rules = backend.rules
        let isAdmin = try rules.legacy.signUpNeedsNoCredential ? false : verifyUser().isAdmin

        var fields = fields
        let email = fields.email()
        let password = fields.string("password")
        let name = fields.optionalName()
        let redirectTo = fields.optionalString("redirectTo", .url)
        let autoConfirm = fields.optionalBool("autoConfirm") ?? false
        try fields.check()

        guard isAdmin || !rules.disableSignup else { throw InsForgeServerError.signupDisabled }
        try rules.passwordPolicy.check(password)
        let mailsVerification = rules.requireEmailVerification && !isAdmin
        if mailsVerification, rules.verifyEmailMethod == .link {
            try requireLinkTarget(redirectTo, feature: "email verification")
        }

        var user = InsForgeUser(
            email: email, emailVerified: isAdmin && autoConfirm,
            profile: name.map { ["name": .string($0)] } ?? [:], at: backend.time.now)
        user.setPassword(password)
        try backend.users.insert(user)

        guard rules.requireEmailVerification else {
            guard !isAdmin else { return try sessionlessResponse(for: user) }
            return try session(for: user, adding: ["requireEmailVerification": false])
        }
        if mailsVerification { try mailVerification(to: email, redirectTo: redirectTo) }
        return .insForge(["accessToken": nil, "requireEmailVerification": .bool(!(isAdmin && autoConfirm))])
    }

    /// The response for an administrator, who gets no refresh token for the new user.
    private func sessionlessResponse(for user: InsForgeUser) throws -> LocalResponse {
        .insForge([
            "user": userObject(user),
            "accessToken": .string(try backend.accessToken(for: user)),
            "requireEmailVerification": false,
        ])
    }

    /// Sends the verification mail.
    /// - Throws: `AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED` for every failure. The status is 429 if the last mail to the address
    ///   was too recent, and 500 for any other reason. The error code tells the client that the user exists, so that the client
    ///   does not sign up again.
    private func mailVerification(to email: String, redirectTo: String?) throws {
        do {
            try backend.mail(to: email, for: .verifyEmail, redirectTo: redirectTo)
        } catch {
            throw InsForgeServerError(
                (error as? InsForgeServerError)?.status == 429 ? 429 : 500, "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED",
                "The user account was created, but the verification email could not be sent.",
                nextActions: "Ask for another verification email instead of signing up again.")
        }
    }
}
