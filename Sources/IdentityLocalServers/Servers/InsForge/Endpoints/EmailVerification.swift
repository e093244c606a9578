import Foundation
import IdentityKit

// Verification of an e-mail address, and the mails with a code or link.

extension InsForgeCall {
    /// `POST /api/auth/email/send-otp`: the response is the same for every address, so that it reveals no users.
    func sendSignInCode() throws -> LocalResponse {
        var fields = fields
        let email = fields.email()
        try fields.check()
        try backend.mail(to: email, for: .signIn, redirectTo: nil)
        return .accepted("If sign-in is available for this email, we have sent a verification code.")
    }

    /// `POST /api/auth/email/send-verification`: mails a new code or link, which replaces an earlier one.
    func sendVerification() throws -> LocalResponse {
        try mailProof(for: .verifyEmail, feature: "email verification", name: "verification")
    }

    /// Mails a code or a link if a user has the address. The response does not tell whether a user has it, unless sending
    /// the mail fails. A link needs an allowed redirect address.
    func mailProof(
        for purpose: LocalInsForgeServer.Mail.Purpose, feature: String, name: String
    ) throws -> LocalResponse {
        let method = backend.mailMethod(for: purpose)
        var fields = fields
        let email = fields.email()
        let redirectTo = fields.optionalString("redirectTo", .url)
        try fields.check()
        if method == .link { try requireLinkTarget(redirectTo, feature: feature) }
        if backend.users.user(email: email) != nil {
            try backend.mail(to: email, for: purpose, redirectTo: redirectTo)
        }
        return .accepted(
            "If your email is registered, we have sent you a \(name) \(method.rawValue). Please check your inbox.")
    }

    func requireLinkTarget(_ redirectTo: String?, feature: String) throws {
        guard let redirectTo else {
            throw InsForgeServerError.invalidInput("redirectTo is required when link-based \(feature) is enabled")
        }
        try backend.requireAllowed(redirect: redirectTo)
    }

    /// `POST /api/auth/email/verify`: if the mailed code is right, marks the address as verified and opens a session.
    func verifyEmail() throws -> LocalResponse {
        var fields = fields
        let email = fields.email()
        let code = fields.string("otp", .sixDigits("OTP code"))
        try fields.check()
        try backend.mailCodes.redeem(code: code, email: email, for: .verifyEmail)
        guard let user = backend.update(email: email, { $0.emailVerified = true }) else {
            throw InsForgeServerError.internalError("User not found")
        }
        return try session(for: user)
    }

    /// `GET /api/auth/email/verify-link`: the target of the mailed link. Redirects to the app and never opens a session.
    func openVerificationLink() throws -> LocalResponse {
        let (row, redirect) = try openedLink(for: .verifyEmail)
        let outcome: WebURL
        do {
            let email = try backend.mailCodes.redeem(token: row.value, for: .verifyEmail)
            _ = backend.update(email: email) { $0.emailVerified = true }
            outcome = redirect.with(["insforge_status": "success", "insforge_type": "verify_email"])
        } catch let failure as InsForgeServerError {
            outcome = redirect.with([
                "insforge_status": "error", "insforge_type": "verify_email", "insforge_error": failure.message,
            ])
        }
        return .insForgeRedirect(to: outcome.href)
    }

    /// The stored values of the link that the browser has opened, and the app's address to redirect the browser to. They are
    /// returned even if the link was used or has expired.
    /// - Throws: `InsForgeServerError` if the token is missing, malformed or unknown, or was not mailed in a link, or if the
    ///   redirect address is not allowed.
    func openedLink(
        for purpose: LocalInsForgeServer.Mail.Purpose
    ) throws -> (row: InsForgeMailCodes.Row, redirect: WebURL) {
        guard let token = request.queryValue("token")?.lowercased() else {
            throw InsForgeServerError.invalidInput("token: Required")
        }
        guard token.utf8.count == 64, token.allSatisfy(\.isHexDigit) else {
            throw InsForgeServerError.invalidInput("token: token must be a 64-character hexadecimal token")
        }
        guard let row = backend.mailCodes.row(token: token, for: purpose),
            let redirectTo = row.redirectTo, let redirect = WebURL(redirectTo)
        else { throw InsForgeServerError.invalidLinkToken }
        try backend.requireAllowed(redirect: redirectTo)
        return (row, redirect)
    }
}

extension InsForgeBackend {
    func mailMethod(for purpose: LocalInsForgeServer.Mail.Purpose) -> LocalInsForgeServer.MailMethod {
        switch purpose {
        case .verifyEmail: rules.verifyEmailMethod
        case .resetPassword: rules.resetPasswordMethod
        case .signIn: .code
        }
    }

    /// Mails a link if the rules demand a link for this purpose and `redirectTo` is given. In every other case, mails a code.
    /// - Throws: `InsForgeServerError` if mails cannot be delivered, or the last mail to the address was too recent.
    func mail(to email: String, for purpose: LocalInsForgeServer.Mail.Purpose, redirectTo: String?) throws {
        let mail: LocalInsForgeServer.Mail
        if mailMethod(for: purpose) == .link, let redirectTo {
            let row = mailCodes.issueToken(to: email, for: purpose, redirectTo: redirectTo)
            let path = purpose == .verifyEmail ? "verify-link" : "reset-password-link"
            let link = "\(origin)/api/auth/email/\(path)?token=\(row.value)"
            mail = .init(recipient: email, purpose: purpose, code: nil, link: link)
        } else {
            let code = mailCodes.issueCode(to: email, for: purpose)
            mail = .init(recipient: email, purpose: purpose, code: code, link: nil)
        }
        try mailer.send(mail, by: rules.mailDelivery, interval: rules.mailInterval, at: time.now)
    }

    /// Changes the user with this address and returns the result; `nil` when there is no such user.
    func update(email: String, _ change: (inout InsForgeUser) -> Void) -> InsForgeUser? {
        users.user(email: email).flatMap { users.update(id: $0.id, at: time.now, change) }
    }
}

extension LocalResponse {
    /// A response with status 202, which is the same whether or not a user has the address.
    static func accepted(_ message: String) -> LocalResponse {
        .insForge(["success": true, "message": .string(message)], status: 202)
    }
}
