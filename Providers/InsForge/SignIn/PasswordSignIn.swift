import IdentityKit

/// Asks for e-mail address and password until they are right or the user gives up. If the address is unverified, asks
/// the user to verify it before the sign-in continues.
struct PasswordSignIn: Sendable {
    let api: InsForgeAPI
    let prompter: any FlowPrompter
    let providerName: String
    let verification: AddressVerification

    /// - Throws: ``InsForgeAuthError``, `CancellationError`, or what the prompter throws when the user gives up.
    func session() async throws -> SessionResponse {
        var problem: String?
        while true {
            try Task.checkCancellation()
            let answer = try await prompter.answer(prompt(after: problem))
            guard let email = answer.values["email"], let password = answer.values["password"],
                !email.isEmpty, !password.isEmpty
            else {
                problem = "Enter the e-mail address and the password."
                continue
            }
            do {
                return try await api.createSession(email: email.reveal(), password: password)
            } catch InsForgeAuthError.emailNotVerified {
                return try await verification.session(email: email.reveal(), password: password)
            } catch InsForgeAuthError.invalidCredentials {
                problem = InsForgeAuthError.invalidCredentials.message
            } catch InsForgeAuthError.invalidInput(let text) {
                problem = text
            }
        }
    }

    private func prompt(after problem: String?) -> SignInPrompt {
        SignInPrompt(
            provider: providerName, problem: problem,
            fields: [
                SignInPrompt.Field(identifier: "email", label: "E-mail address", kind: .email),
                SignInPrompt.Field(identifier: "password", label: "Password", kind: .password),
            ],
            actions: [SignInPrompt.Action(identifier: "sign-in", label: "Sign in")])
    }
}
