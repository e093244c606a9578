import Foundation
import IdentityKit

/// `POST /api/auth/users`: the one public call that wants a credential (InsForge contract, sign up).
struct SignUp: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let backend = call.backend
        let rules = backend.rules
        let isAdmin = try rules.legacy.signUpNeedsNoCredential ? false : call.verifyUser().isAdmin

        var fields = call.fields
        let email = fields.email()
        let password = fields.string("password")
        let name = fields.optionalName()
        let redirectTo = fields.optionalString("redirectTo", .url)
        let autoConfirm = fields.optionalBool("autoConfirm") ?? false
        try fields.check()

        guard isAdmin || !rules.disableSignup else { throw InsForgeFailure.signupDisabled }
        try rules.passwordPolicy.check(password)
        let mailsVerification = rules.requireEmailVerification && !isAdmin
        if mailsVerification, rules.verifyEmailMethod == .link {
            guard let redirectTo else {
                throw InsForgeFailure.invalidInput(
                    "redirectTo is required when link-based email verification is enabled")
            }
            try backend.requireAllowed(redirect: redirectTo)
        }

        var user = InsForgeUser(
            email: email, emailVerified: isAdmin && autoConfirm,
            profile: name.map { ["name": .string($0)] } ?? [:], at: backend.time.now)
        user.setPassword(password)
        try backend.users.insert(user)

        guard rules.requireEmailVerification else {
            return try isAdmin ? adminAnswer(for: user, to: call) : session(for: user, to: call)
        }
        if mailsVerification { try mail(to: email, redirectTo: redirectTo, from: backend) }
        return .insForge(["accessToken": nil, "requireEmailVerification": .bool(!(isAdmin && autoConfirm))])
    }

    private func session(for user: InsForgeUser, to call: InsForgeCall) throws -> LocalResponse {
        try call.session(for: user, adding: ["requireEmailVerification": false])
    }

    /// An administrator gets no session of the new user that would outlive its access token.
    private func adminAnswer(for user: InsForgeUser, to call: InsForgeCall) throws -> LocalResponse {
        .insForge([
            "user": call.userObject(user),
            "accessToken": .string(try call.backend.tokens.accessToken(for: user)),
            "requireEmailVerification": false,
        ])
    }

    /// The user exists by now, so a mail that cannot be sent gets its own error.
    private func mail(to email: String, redirectTo: String?, from backend: InsForgeBackend) throws {
        do {
            try backend.mailVerification(to: email, redirectTo: redirectTo)
        } catch {
            throw InsForgeFailure(
                (error as? InsForgeFailure)?.status == 429 ? 429 : 500, "AUTH_VERIFICATION_EMAIL_DELIVERY_FAILED",
                "The user account was created, but the verification email could not be sent.",
                nextActions: "Ask for another verification email instead of signing up again.")
        }
    }
}
