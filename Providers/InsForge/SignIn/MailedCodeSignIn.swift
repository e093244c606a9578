import IdentityKit

/// Signs in with an e-mail address and the code that is mailed to it.
struct MailedCodeSignIn: Sendable {
    let api: InsForgeAPI
    let prompter: any FlowPrompter
    let providerName: String
    let time: TimeSource

    /// Asks for the address, mails a code to it, and asks for the code. An unknown address gets an account if the project
    /// accepts new users.
    /// - Throws: ``InsForgeAuthError``, `CancellationError`, or what the prompter throws when the person gives up.
    func session() async throws -> SessionResponse {
        var problem: String?
        while true {
            try Task.checkCancellation()
            let answer = try await prompter.answer(prompt(after: problem))
            guard let email = answer.values["email"]?.reveal(), !email.isEmpty else {
                problem = "Enter the e-mail address."
                continue
            }
            let code = MailedCode(
                prompter: prompter, providerName: providerName, email: email, time: time,
                mail: { [api] in try await api.sendSignInCode(email: email) },
                redeem: { [api] in try await api.createSession(email: email, code: $0, name: nil) })
            do {
                try await api.sendSignInCode(email: email)
                return try await code.session(
                    "Enter the code that was mailed to \(email).", nextMail: MailPause.end(after: nil, from: time.now))
            } catch InsForgeAuthError.invalidInput(let text) {
                problem = text
            } catch let error as InsForgeAuthError where error.failureCode == "rate_limited" {
                // The code of the previous mail may still work, so ask for it.
                return try await code.session(
                    "Enter the code of the last mail to \(email).", after: error.message,
                    nextMail: MailPause.end(after: error, from: time.now))
            }
        }
    }

    private func prompt(after problem: String?) -> SignInPrompt {
        SignInPrompt(
            provider: providerName, problem: problem,
            fields: [SignInPrompt.Field(identifier: "email", label: "E-mail address", kind: .email)],
            actions: [SignInPrompt.Action(identifier: "mail-code", label: "Mail a code")])
    }
}
