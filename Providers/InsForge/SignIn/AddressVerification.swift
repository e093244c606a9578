import Foundation
import IdentityKit

/// Verifies an e-mail address during a sign-in or after a sign-up, by a mailed code or link, as configured in the project.
struct AddressVerification: Sendable {
    let api: InsForgeAPI
    let prompter: any FlowPrompter
    let providerName: String
    /// The target of mailed links. If it is `nil`, the person cannot request another link.
    let redirectURI: URL?
    let time: TimeSource

    /// Asks the person to verify the address until it is verified, and signs in.
    /// - Parameters:
    ///   - problem: the error to show first, such as that of a mail that could not be sent.
    ///   - mailsLinks: the result of ``mailsLinks()``; `nil` to call it.
    /// - Throws: ``InsForgeAuthError``, `CancellationError`, or what the prompter throws when the person gives up.
    func session(
        email: String, password: Secret, after problem: String? = nil, mailsLinks: Bool? = nil
    ) async throws -> SessionResponse {
        let usesLink = if let mailsLinks { mailsLinks } else { try await self.mailsLinks() }
        if usesLink {
            return try await sessionByLink(email: email, password: password, after: problem)
        }
        let code = MailedCode(
            prompter: prompter, providerName: providerName, email: email, time: time, mail: mail(to: email),
            redeem: { [api] in try await api.verifyEmail(email: email, code: $0) })
        return try await code.session(
            "\(email) is not verified yet. Enter the code from the mail.", after: problem)
    }

    /// Returns whether the project mails links. If the server responds, but not with a readable configuration, the result is
    /// `false`, because a project mails codes by default.
    /// - Throws: ``InsForgeAuthError`` when the server cannot be reached, fails or asks to wait, or `CancellationError`.
    func mailsLinks() async throws -> Bool {
        do {
            return try await api.publicConfig().verifyEmailMethod == .link
        } catch let error as InsForgeAuthError {
            switch error {
            case .networkError, .rateLimited, .databaseFault, .server(500..., _, _), .unreadableResponse(500...):
                throw error
            default: return false
            }
        }
    }

    private func mail(to email: String) -> @Sendable () async throws -> Void {
        { [api, redirectURI] in
            try await api.sendVerification(email: email, redirectTo: redirectURI?.absoluteString)
        }
    }

    /// Asks the person to open the link, in any browser, until the address is verified. Signs in with the password, because
    /// a link opens no session.
    private func sessionByLink(
        email: String, password: Secret, after problem: String?
    ) async throws -> SessionResponse {
        var (problem, next) = (problem, Date?.none)
        while true {
            try Task.checkCancellation()
            let answer = try await prompter.answer(linkPrompt(email, after: problem, nextMail: next))
            do {
                guard answer.action != Self.anotherLink.identifier else {
                    try await mail(to: email)()
                    (problem, next) = (nil, MailPause.end(after: nil, from: time.now))
                    continue
                }
                return try await api.createSession(email: email, password: password)
            } catch InsForgeAuthError.emailNotVerified {
                problem = "\(email) is still not verified. Open the link in the mail first."
            } catch let error as InsForgeAuthError where answer.action == Self.anotherLink.identifier {
                (problem, next) = (error.message, MailPause.end(after: error, from: time.now))
            }
        }
    }

    private static let anotherLink = SignInPrompt.Action(
        identifier: "another-link", label: "Mail another link", purpose: .resend)

    private func linkPrompt(_ email: String, after problem: String?, nextMail: Date?) -> SignInPrompt {
        var another = Self.anotherLink
        another.availableAfter = nextMail
        let isOpened = SignInPrompt.Action(identifier: "go-on", label: "I have opened the link")
        return SignInPrompt(
            provider: providerName, problem: problem,
            message: "\(email) is not verified yet. Open the link in the mail, then continue.", fields: [],
            actions: redirectURI == nil ? [isOpened] : [isOpened, another])
    }
}
