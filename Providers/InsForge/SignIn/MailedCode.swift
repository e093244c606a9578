import Foundation
import IdentityKit

/// Asks for the code from a mail until it is right or the person gives up. The person can ask for another mail.
struct MailedCode: Sendable {
    let prompter: any FlowPrompter
    let providerName: String
    let email: String
    let time: TimeSource
    let mail: @Sendable () async throws -> Void
    let redeem: @Sendable (Secret) async throws -> SessionResponse

    static let another = SignInPrompt.Action(identifier: "another-code", label: "Mail another code", purpose: .resend)

    /// Asks for the code.
    /// - Parameters:
    ///   - message: what the code is for.
    ///   - problem: what went wrong before.
    ///   - next: when another mail can be asked for; `nil` for at once, or where nobody knows.
    /// - Throws: ``InsForgeAuthError``, or what the prompter throws when the person gives up.
    func session(
        _ message: String, after problem: String? = nil, nextMail next: Date? = nil
    ) async throws -> SessionResponse {
        var (message, problem, next) = (message, problem, next)
        while true {
            try Task.checkCancellation()
            let answer = try await prompter.answer(prompt(message, after: problem, nextMail: next))
            if answer.action == Self.another.identifier {
                do {
                    try await mail()
                    (message, problem) = ("Another code was mailed to \(email). Only that one works now.", nil)
                    next = MailPause.end(after: nil, from: time.now)
                } catch let error as InsForgeAuthError {
                    // The earlier code may still work.
                    problem = error.message
                    next = MailPause.end(after: error, from: time.now)
                }
                continue
            }
            let code = answer.values["code"]?.reveal().filter { !$0.isWhitespace } ?? ""
            guard !code.isEmpty else {
                problem = "Enter the code from the mail."
                continue
            }
            do {
                return try await redeem(Secret(code))
            } catch InsForgeAuthError.invalidCode {
                problem = "The code is wrong or too old. Enter the newest one, or ask for another."
            } catch InsForgeAuthError.invalidInput(let text) {
                problem = text
            }
        }
    }

    private func prompt(_ message: String, after problem: String?, nextMail: Date?) -> SignInPrompt {
        var another = Self.another
        another.availableAfter = nextMail
        return SignInPrompt(
            provider: providerName, problem: problem, message: message,
            fields: [SignInPrompt.Field(identifier: "code", label: "Code from the mail", kind: .oneTimeCode)],
            actions: [SignInPrompt.Action(identifier: "use-code", label: "Continue"), another])
    }
}

/// How long a person waits before another mail can be asked for.
enum MailPause {
    /// The time that the server leaves between two mails to one address, unless its project is set up otherwise.
    private static let usual = Duration.seconds(60)

    /// The end of the pause.
    /// - Parameter error: why no mail was sent; `nil` for a mail that was.
    static func end(after error: InsForgeAuthError?, from now: Date) -> Date? {
        switch error {
        case nil: now + usual.timeInterval
        case .rateLimited(let wait): now + (wait ?? usual).timeInterval
        default: nil
        }
    }
}
