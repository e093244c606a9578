import Foundation
import IdentityKit

// Proving an address, and signing in with a mailed code (InsForge contract, email flows).

/// `POST /api/auth/email/send-otp`: the same answer for every address.
struct SendSignInCode: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        var fields = call.fields
        let email = fields.email()
        try fields.check()
        let code = call.backend.mailCodes.issueCode(to: email, for: .signIn)
        try call.backend.send(code: code, to: email, for: .signIn)
        return .accepted("If sign-in is available for this email, we have sent a verification code.")
    }
}

/// `POST /api/auth/email/send-verification`, also to send again.
struct SendVerification: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let method = call.backend.rules.verifyEmailMethod
        let (email, redirectTo) = try call.mailTarget(method: method, feature: "email verification")
        if call.backend.users.user(email: email) != nil {
            try call.backend.mailVerification(to: email, redirectTo: redirectTo)
        }
        return .accepted(
            "If your email is registered, we have sent you a verification \(method.rawValue). "
                + "Please check your inbox.")
    }
}

/// `POST /api/auth/email/verify`: a right code opens a session.
struct VerifyEmail: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        var fields = call.fields
        let email = fields.email()
        let code = fields.string("otp", .sixDigits("OTP code"))
        try fields.check()
        try call.backend.mailCodes.redeem(code: code, email: email, for: .verifyEmail)
        guard let user = call.backend.verify(email: email) else {
            throw InsForgeFailure.internalError("User not found")
        }
        return try call.session(for: user)
    }
}

/// `GET /api/auth/email/verify-link`: what the mailed link opens. It leads to the app and never opens a session.
struct OpenVerificationLink: InsForgeEndpoint {
    func respond(to call: InsForgeCall) throws -> LocalResponse {
        let (row, redirect) = try call.openedLink(for: .verifyEmail)
        let outcome: WebURL
        do {
            let email = try call.backend.mailCodes.redeem(token: row.value, for: .verifyEmail)
            _ = call.backend.verify(email: email)
            outcome = redirect.with(["insforge_status": "success", "insforge_type": "verify_email"])
        } catch let failure as InsForgeFailure {
            outcome = redirect.with([
                "insforge_status": "error", "insforge_type": "verify_email", "insforge_error": failure.message,
            ])
        }
        return .insForgeRedirect(to: outcome.href)
    }
}

extension InsForgeBackend {
    /// Mails what the project's rules say: a code, or a link when there is somewhere to lead to.
    func mailVerification(to email: String, redirectTo: String?) throws {
        if rules.verifyEmailMethod == .link, let redirectTo {
            try sendLink(to: email, for: .verifyEmail, path: "verify-link", redirectTo: redirectTo)
        } else {
            try send(code: mailCodes.issueCode(to: email, for: .verifyEmail), to: email, for: .verifyEmail)
        }
    }

    func send(code: String, to email: String, for purpose: LocalInsForgeServer.Mail.Purpose) throws {
        try mailer.send(
            .init(recipient: email, purpose: purpose, code: code, link: nil), by: rules.mailDelivery,
            interval: rules.mailInterval, at: time.now)
    }

    func sendLink(
        to email: String, for purpose: LocalInsForgeServer.Mail.Purpose, path: String, redirectTo: String
    ) throws {
        let row = mailCodes.issueToken(to: email, for: purpose, redirectTo: redirectTo)
        let link = origin.withLock { $0 } + "/api/auth/email/\(path)?token=\(row.value)"
        try mailer.send(
            .init(recipient: email, purpose: purpose, code: nil, link: link), by: rules.mailDelivery,
            interval: rules.mailInterval, at: time.now)
    }

    fileprivate func verify(email: String) -> InsForgeUser? {
        users.user(email: email).flatMap { user in
            users.update(id: user.id) {
                $0.emailVerified = true
                $0.updatedAt = time.now
            }
        }
    }
}

extension InsForgeCall {
    /// The body of the calls that mail a code or a link: a link needs somewhere allowed to lead to.
    func mailTarget(
        method: LocalInsForgeServer.MailMethod, feature: String
    ) throws -> (email: String, redirectTo: String?) {
        var fields = fields
        let email = fields.email()
        let redirectTo = fields.optionalString("redirectTo", .url)
        try fields.check()
        guard method == .link else { return (email, nil) }
        guard let redirectTo else {
            throw InsForgeFailure.invalidInput("redirectTo is required when link-based \(feature) is enabled")
        }
        try backend.requireAllowed(redirect: redirectTo)
        return (email, redirectTo)
    }

    /// The row of the link that was opened and where it leads.
    /// - Throws: what the browser shows when there is nowhere to lead to.
    func openedLink(
        for purpose: LocalInsForgeServer.Mail.Purpose
    ) throws -> (row: InsForgeMailCodes.Row, redirect: WebURL) {
        let token = request.queryValue("token")?.lowercased() ?? ""
        guard let row = backend.mailCodes.row(token: token, for: purpose),
            let redirectTo = row.redirectTo, let redirect = WebURL(redirectTo)
        else { throw InsForgeFailure.invalidLinkToken }
        try backend.requireAllowed(redirect: redirectTo)
        return (row, redirect)
    }
}

extension LocalResponse {
    /// 202: the mail is on its way, or there was nobody to mail to.
    static func accepted(_ message: String) -> LocalResponse {
        .insForge(["success": true, "message": .string(message)], status: 202)
    }
}
