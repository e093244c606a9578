import Foundation
import IdentityKit

/// Asks for a mailed code until it is right or the person gives up. The person can also request another mail.
struct MailedCode: Sendable {
    let prompter: any FlowPrompter
    let providerName: String
    let email: String
    let time: TimeSource
    let mail: @Sendable () async throws -> Void
    let redeem: @Sendable (Secret) async throws -> SessionResponse

    static let another = SignInPrompt.Action(identifier: "another-code", label: "Mail another code", purpose: .resend)

    /// Asks for the code, and redeems it for a session.
    /// - Parameters:
    ///   - message: the purpose of the code, shown to the person.
    ///   - problem: the error to show first.
    ///   - next: the time from which another mail can be requested; `nil` for no limit.
    /// - Throws: ``InsForgeAuthError``, `CancellationError`, or what the prompter throws when the person gives up.
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
                    // Keep asking, because the code of the earlier mail may still work.
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

/// The time that a person has to wait before requesting another mail to the same address.
enum MailPause {
    /// The server's default for the shortest time between two mails to one address. A project can change it.
    private static let usual = Duration.seconds(60)

    /// Returns the time at which the pause ends. `nil`, for no pause, if an error other than a rate limit prevented the mail.
    /// - Parameter error: the error that prevented the mail; `nil` if the mail was sent.
    static func end(after error: InsForgeAuthError?, from now: Date) -> Date? {
        switch error {
        case nil: now + usual.timeInterval
        case .rateLimited(let wait): now + (wait ?? usual).timeInterval
        default: nil
        }
    }
}
