import Foundation
import IdentityKit

/// Runs a sign-in flow with a prompter: shows the server's prompts and submits the answers until there is a session.
struct FlowSignIn: Sendable {
    let driver: FlowDriver
    let prompter: any FlowPrompter
    let providerName: String
    var browser: (any WebAuthenticator)?
    var passkeys: (any PasskeyAuthenticator)?
    /// Starts the flow. Called again after a wrong mailed link or code has ended the flow.
    let restart: @Sendable () async throws -> FlowState

    /// The greatest number of times that the person is asked for a mailed link or code.
    private static let linkAttempts = 5

    /// Continues a flow until it has ended, and creates its session.
    /// - Returns: the session, and the challenge that a passkey signed, if one was used.
    /// - Throws: ``IAMError``, ``PasswordChangedError``, what the prompter, the browser or the passkeys throw when the
    ///   person gives up, and what ``restart``, `FlowDriver.submit(_:executionID:to:)` and
    ///   ``FlowDriver/credential(_:of:)`` throw.
    func finish(_ flow: FlowState) async throws -> (credential: Credential, challenge: Data?) {
        var (flow, linkProblem, linkAttempts) = (flow, IAMError?.none, 0)
        // The error that ended the previous flow, to be shown with the next prompt.
        var ending: IAMError?
        while flow.outcome == nil, let step = flow.step {
            let payload: EmbeddedSignInPayload
            if case .link? = flow.completion {
                guard linkAttempts < Self.linkAttempts else {
                    throw linkProblem
                        ?? IAMError(.invitationCodeInvalid, "The link or code from the mail was not entered.")
                }
                linkAttempts += 1
                do {
                    payload = try await linkPayload(for: step, after: linkProblem)
                } catch let error as IAMError where error.code == .invalidInput {
                    linkProblem = error
                    continue
                }
            } else {
                payload = try await self.payload(for: step, of: flow, after: ending)
                ending = nil
            }
            try await driver.submit(payload, executionID: step.flowId ?? "", to: &flow)
            linkProblem = flow.linkRefusal
            if case .failed(let error) = flow.outcome, error.code == .invitationCodeExpired,
                linkAttempts < Self.linkAttempts
            {
                flow = try await restart()
                ending = error
            }
        }
        switch flow.outcome {
        case .signedIn(let assertion):
            return (try await driver.credential(assertion, of: &flow), flow.passkeyChallenge)
        case .passwordChanged: throw PasswordChangedError()
        case .failed(let error): throw error
        case .finished, nil:
            throw IAMError(.authenticationFailed, "The flow ended without a sign-in. Sign in again.")
        }
    }

    /// - Parameter problem: the error that ended the previous flow, to be shown with this step's prompt; `nil` for
    ///   none.
    private func payload(
        for step: EmbeddedFlowResponse, of flow: FlowState, after problem: IAMError?
    ) async throws -> EmbeddedSignInPayload {
        switch flow.completion {
        case .serverPage:
            throw IAMError(
                .mfaRequired,
                "This sign-in needs something that only the server's own page knows. Use the redirect sign-in.")
        case .passkey(_, isRepeated: true):
            throw step.error ?? IAMError(.authenticationFailed, "The passkey was not accepted. Try again.")
        case .page, .passkey, .link, .person, nil: break
        }
        if let request = flow.suggestedPasskey, let passkeys, passkeys.suggestsPasskeys {
            let prompt = FlowPrompt.prompt(for: step, provider: providerName, after: problem, hidesPasskey: true)
            return try await payload(for: step, prompt, suggesting: request, by: passkeys)
        }
        let server = driver.api.server.baseURL.url
        if let payload = try await flow.automaticPayload(browser, passkeys, server: server) { return payload }
        return try await payload(for: step, FlowPrompt.prompt(for: step, provider: providerName, after: problem))
    }

    /// Asks the person, and returns the entered values and the chosen action.
    private func payload(for step: EmbeddedFlowResponse, _ prompt: SignInPrompt) async throws -> EmbeddedSignInPayload {
        let reply = try await prompter.answer(prompt)
        return EmbeddedSignInPayload(
            flowId: step.flowId, actionId: try action(of: reply, for: step),
            inputs: FlowPrompt.inputs(of: reply, for: step))
    }

    /// Asks the person and suggests a passkey at the same time. Returns the person's answer or the passkey's response,
    /// whichever comes first.
    private func payload(
        for step: EmbeddedFlowResponse, _ prompt: SignInPrompt, suggesting request: PasskeyRequest,
        by passkeys: any PasskeyAuthenticator
    ) async throws -> EmbeddedSignInPayload {
        try await withThrowingTaskGroup(of: EmbeddedSignInPayload?.self) { group in
            group.addTask { try await payload(for: step, prompt) }
            // The suggestion is optional, so its errors are not shown.
            group.addTask { (try? await passkeys.suggestedAssertion(for: request)).map { step.payload(for: $0) } }
            defer { group.cancelAll() }
            while let answer = try await group.next() {
                if let answer { return answer }
            }
            throw CancellationError()
        }
    }

    private func linkPayload(
        for step: EmbeddedFlowResponse, after problem: IAMError?
    ) async throws -> EmbeddedSignInPayload {
        let prompt = FlowPrompt.linkPrompt(
            for: step, provider: providerName, problem: problem?.message ?? step.failureReason)
        return try step.payload(
            forLinkOrCode: try await prompter.answer(prompt).values[FlowPrompt.linkField]?.reveal() ?? "")
    }

    /// Returns the chosen action, or the step's first action if the answer has none.
    /// - Throws: ``IAMError`` with `invalidInput` for an action that was not offered. Another action must not replace
    ///   it, because that could turn a refusal into a consent.
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
