import Foundation
import IdentityKit

/// Drives a sign-in flow with a prompter: shows what the server asks for, submits the answers, until there is an
/// assertion.
struct FlowSignIn: Sendable {
    let api: FlowAPI
    let prompter: any FlowPrompter
    let providerName: String
    let texts: FlowTextsAPI
    let applicationID: String?
    let language: String?
    var browser: (any WebAuthenticator)?
    var passkeys: (any PasskeyAuthenticator)?

    /// What a finished flow leaves.
    struct Outcome: Sendable {
        let assertion: Secret
        /// The challenge that a passkey signed on the way, when one did.
        var challenge: Data?
    }

    /// Goes on from `answer` to the end of the flow.
    /// - Throws: ``IAMError``, or what the prompter throws when the user gives up.
    func finish(_ answer: FlowAnswer) async throws -> Outcome {
        var (answer, challenge) = (answer, Data?.none)
        var passed = Passed()
        while answer.flowStatus == .incomplete {
            let step = try await self.step(answer, passed)
            passed.note(step)
            if let redirection = step.redirection {
                let inputs = try await inputs(from: redirection)
                answer = try await api.submit(after: answer, inputs: inputs, action: nil)
            } else if let inputs = try await passkeyInputs(for: step, &challenge) {
                answer = try await api.submit(after: answer, inputs: inputs, action: step.actions.first?.id)
            } else if step.asksOnlyForHiddenValues {
                throw IAMError(
                    .mfaRequired,
                    "This sign-in needs something that only the server's own page knows. Use the redirect sign-in.")
            } else if step.waitsForLink {
                answer = try await submitLink(to: step, answer)
            } else {
                let reply = try await prompter.answer(FlowPrompt.prompt(for: step, provider: providerName))
                let inputs = FlowPrompt.inputs(of: reply, for: step)
                answer = try await api.submit(
                    after: answer, inputs: inputs, action: try action(of: reply, for: step))
                passed.note(inputs, submittedTo: step)
            }
        }
        guard answer.flowStatus == .complete else {
            throw try await self.step(answer, passed).error
                ?? IAMError(.unknownError, "The sign-in was ended by the server.")
        }
        guard let assertion = answer.assertion else {
            if passed.hasNewPassword { throw PasswordChanged() }
            throw IAMError(.authenticationFailed, "The flow ended without signing anybody in. Sign in again.")
        }
        return Outcome(assertion: assertion, challenge: challenge)
    }

    /// What the flow has asked for so far.
    private struct Passed {
        /// Whether the newest step asked for a password.
        private(set) var asksForPassword = false
        private var askedForLink = false
        /// Whether a password was entered after a mail had proved whose it is: a new one (contract 1.10).
        private(set) var hasNewPassword = false

        mutating func note(_ step: EmbeddedFlowResponse) {
            asksForPassword = step.inputs.contains(where: \.isPassword)
            if step.waitsForLink { askedForLink = true }
        }

        mutating func note(_ inputs: [String: Secret], submittedTo step: EmbeddedFlowResponse) {
            guard askedForLink, step.inputs.contains(where: { $0.isPassword && inputs[$0.name] != nil }) else { return }
            hasNewPassword = true
        }
    }

    private func step(_ answer: FlowAnswer, _ passed: Passed) async throws -> EmbeddedFlowResponse {
        let words = await texts.texts(for: answer, applicationID: applicationID, language: language)
        return try EmbeddedFlowResponse(
            answer, texts: words, establishesSession: false, concernsPassword: passed.asksForPassword)
    }

    /// How often somebody is asked for what a mail brings.
    private static let linkAttempts = 5

    /// Asks for the link or the code from a mail. A wrong one does not end the flow at the server (contract 1.6), so it is
    /// asked for again, but not for ever.
    private func submitLink(to step: EmbeddedFlowResponse, _ answer: FlowAnswer) async throws -> FlowAnswer {
        var problem = step.failureReason
        var refusal: IAMError?
        for _ in 0..<Self.linkAttempts {
            let prompt = FlowPrompt.linkPrompt(for: step, provider: providerName, problem: problem)
            let text = try await prompter.answer(prompt).values[FlowPrompt.linkField]?.reveal() ?? ""
            do {
                let inputs = try step.payload(forLinkOrCode: text).inputs.mapValues { Secret($0) }
                let next = try await api.submit(after: answer, inputs: inputs, action: nil)
                guard next.flowStatus == .error, let error = next.error?.iamError, error.concernsLink else {
                    return next
                }
                refusal = error
            } catch let error as IAMError where error.code == .invalidInput && error.serverCode == nil {
                refusal = error
            }
            problem = refusal?.message
        }
        throw refusal ?? IAMError(.invitationCodeInvalid, "The link or code from the mail was not entered.")
    }

    /// What the person brings back from another identity provider.
    private func inputs(from redirection: FlowRedirection) async throws -> [String: Secret] {
        guard let browser, let callbackURI = redirection.callbackURI(beyond: api.server.baseURL.url) else {
            throw IAMError(.mfaRequired, "This sign-in continues in a browser. Use the redirect sign-in.")
        }
        let callback = try await browser.authenticate(
            WebAuthenticationRequest(url: redirection.url, redirectURI: callbackURI))
        return try redirection.inputs(from: callback).mapValues { Secret($0) }
    }

    private func passkeyInputs(
        for step: EmbeddedFlowResponse, _ challenge: inout Data?
    ) async throws -> [String: Secret]? {
        if let request = try step.passkeyRequest {
            let assertion = try await required(passkeys).assertion(for: request)
            challenge = request.challenge
            return assertion.inputs.mapValues { Secret($0) }
        }
        guard let creation = try step.passkeyCreation else {
            // A passkey that was refused is asked for again without a question (contract 1.4), and nobody can type one.
            guard !step.isForPasskey else {
                throw step.error ?? IAMError(.authenticationFailed, "The passkey was not accepted. Try again.")
            }
            return nil
        }
        return try await required(passkeys).registration(for: creation).inputs.mapValues { Secret($0) }
    }

    private func required(_ passkeys: (any PasskeyAuthenticator)?) throws -> any PasskeyAuthenticator {
        guard let passkeys else {
            throw IAMError(.mfaRequired, "This sign-in asks for a passkey. Use the redirect sign-in.")
        }
        return passkeys
    }

    /// The chosen action, or the usual one. One that was not offered is never replaced by another: that could turn a
    /// refusal into a consent.
    private func action(of reply: PromptAnswer, for step: EmbeddedFlowResponse) throws -> String? {
        let refs = step.actions.map(\.id)
        guard let chosen = reply.action else { return refs.first }
        guard refs.contains(chosen) else {
            throw IAMError(
                .invalidInput, "The action \"\(chosen)\" was not offered. Choose one of the prompt's actions.")
        }
        return chosen
    }
}

extension IAMError {
    /// Whether what came from a mail was wrong or too old.
    package var concernsLink: Bool { code == .invitationCodeInvalid || code == .confirmationCodeInvalid }
}
