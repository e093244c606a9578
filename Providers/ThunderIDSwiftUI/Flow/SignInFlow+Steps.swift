import Foundation
import IdentityKit
import ThunderID

/// How a flow moves.
extension SignInFlow {
    /// Starts the flow, or goes on with its link, unless it has begun already: a view that comes back goes on where the
    /// person left it.
    public func start(with client: ThunderIDClient, means: SignInHandlers = SignInHandlers()) async {
        self.client = client
        self.means = means
        guard step == nil, !isLoading, outcome == nil else { return }
        await restart()
    }

    /// Starts the flow from its beginning.
    public func restart() async {
        guard !isLoading else { return }
        (step, isOver, outcome) = (nil, false, nil)
        (values, agreed) = ([:], [])
        (firstQuestion, passkeyStep, lastMessage) = (nil, nil, nil)
        await run { [link] in link?.payload ?? EmbeddedSignInPayload() }
        // A link is good once.
        if step != nil { link = nil }
    }

    /// Goes on with the link of a message, in place of whatever is shown. A link is good once: one that the flow has gone
    /// on with already changes nothing.
    public func resume(with link: FlowLink) async {
        guard !isLoading, link != newestLink else { return }
        (self.link, newestLink) = (link, link)
        await restart()
    }

    /// Goes on with the chosen action, or with the usual one, which is the first.
    public func advance(_ actionId: String? = nil) async {
        guard !isLoading, outcome == nil else { return }
        guard let step, !isOver else { return await restart() }
        if isWaitingForLink { return await submitLink(to: step) }
        if isAutomatic(step) {
            return await run { try await self.automaticAnswer(to: step) ?? EmbeddedSignInPayload(flowId: step.flowId) }
        }
        // One that was not offered is never replaced by another: that could turn a refusal into a consent.
        guard actionId == nil || actions.contains(where: { $0.id == actionId }) else {
            error = "This is not possible here. Choose one of the buttons."
            return
        }
        let chosen = actionId ?? actions.first?.id
        let isUsual = chosen == actions.first?.id
        if isUsual {
            problems = step.inputs.reduce(into: [:]) { problems, input in
                // Hidden fields are not shown, so a person cannot correct them.
                guard inputs.contains(input) else { return }
                problems[input.name] = input.problem(with: answer(to: input))
            }
            error = missingConsent.map { "The sign-in does not go on without this: \($0)." }
            guard problems.isEmpty, error == nil else { return }
        }
        let payload = EmbeddedSignInPayload(
            flowId: step.flowId, actionId: chosen, inputs: answers(to: step, isUsual: isUsual))
        await run { payload }
    }

    /// What the person has not agreed to and has to, for the usual way on; `nil` when nothing is missing.
    private var missingConsent: String? {
        let missing = (consent?.purposes ?? []).flatMap(\.essential).filter { !agreed.contains($0) }
        return missing.isEmpty ? nil : missing.map(\.readable).joined(separator: ", ")
    }

    /// Goes on with the link or the code that was entered. Anything else in place of the link's token is not sent.
    private func submitLink(to step: EmbeddedFlowResponse) async {
        do {
            let payload = try step.payload(forLinkOrCode: inputs.first.map { value(for: $0.name) } ?? "")
            await run { payload }
        } catch {
            self.error = error.identityMessage
        }
    }

    // MARK: Running

    private func run(_ first: @MainActor () async throws -> EmbeddedSignInPayload) async {
        guard let client else { return }
        (isLoading, error, problems) = (true, nil, [:])
        defer { isLoading = false }
        do {
            var payload = try await first()
            while true {
                let response = try await client.signIn(payload: payload, request: request, sessionId: sessionID)
                if response.flowStatus == .complete, request.flowType == .signOut {
                    // Whoever signs out at the server does not stay signed in here.
                    try await client.signOut(sessionId: sessionID)
                }
                let isRestart = take(response)
                if isRestart {
                    (payload, firstQuestion) = (EmbeddedSignInPayload(), nil)
                } else if response.error == nil, let answer = try await automaticAnswer(to: response) {
                    payload = answer
                } else {
                    return
                }
            }
        } catch is CancellationError {
            // The person closed the page, or the view is gone: the step stays as it is.
        } catch let failure as IAMError {
            error = failure.message
            if failure.code == .sessionExpired { isOver = true }
        } catch {
            self.error = error.identityMessage
        }
    }

    /// Shows a response.
    /// - Returns: whether the flow has to begin once more.
    private func take(_ response: EmbeddedFlowResponse) -> Bool {
        if isWaitingForLink, response.flowStatus == .error, response.error?.concernsLink == true {
            // A wrong link does not end the flow at the server (contract 1.6): the right one may still come.
            error = response.error?.message
            return false
        }
        forget(unless: response)
        suggest(for: response)
        step = response
        firstQuestion = firstQuestion ?? Question(response)
        if response.asksForPasskey { passkeyStep = response }
        if response.data?.additionalData?["otpNumericOnly"] != nil {
            hasNumericCode = response.oneTimeCode?.isNumeric ?? true
        }
        lastMessage = response.message ?? lastMessage
        error = response.error?.message
        problems = response.inputs.reduce(into: [:]) { $0[$1.name] = $1.problem }
        switch response.flowStatus {
        case .promptOnly:
            // The administrator's part of an onboarding is done: somebody else opens the link.
            if request.flowType == .userOnboarding, response.waitsForLink { (isOver, outcome) = (true, .finished) }
            return false
        case .error:
            isOver = true
            error = error ?? "This cannot go on. Start again."
            return false
        case .complete where !response.establishesSession && request.flowType == .authentication && notice == nil:
            // On the way to a sign-in something else was done, such as a new password: now the person can sign in.
            notice = response.message ?? response.data?.headings.first ?? "Done. You can sign in now."
            return true
        case .complete:
            (isOver, outcome) = (true, response.establishesSession ? .signedIn : .finished)
            return false
        }
    }

    /// Keeps what was typed only for fields that are asked for again, and no secret that was sent.
    private func forget(unless response: EmbeddedFlowResponse) {
        let names = Set(response.inputs.filter { !$0.isSecret }.map(\.name))
        values = values.filter { names.contains($0.key) }
        agreed = []
    }

    /// Fills in what nobody types: the root of the organization units is an identifier.
    private func suggest(for response: EmbeddedFlowResponse) {
        guard let root = response.data?.additionalData?["rootOuId"] else { return }
        for input in response.inputs where input.type == "OU_SELECT" && value(for: input.name).isEmpty {
            values[input.name] = root
        }
    }

    // MARK: Answers

    private func answers(to step: EmbeddedFlowResponse, isUsual: Bool) -> [String: String] {
        var answers: [String: String] = [:]
        for input in step.inputs {
            if input.type == "CONSENT_INPUT", let consent {
                // Only the usual way on agrees; whoever goes another way agrees to nothing.
                answers[input.name] = consent.decisions(agreeingTo: isUsual ? agreed : [])
                continue
            }
            let value = answer(to: input)
            // "I forgot my password" needs no password.
            if !isUsual, input.isSecret || value.isEmpty { continue }
            // Not sending an optional field asks for it once more; sending it empty does not.
            answers[input.name] = value
        }
        return answers
    }

    private func answer(to input: FlowInput) -> String {
        let value = values[input.name] ?? ""
        return input.type == "BOOLEAN_INPUT" && value.isEmpty ? "false" : value
    }

    /// Whether a step is answered by a page or a passkey.
    func isAutomatic(_ step: EmbeddedFlowResponse) -> Bool {
        step.redirection != nil || step.asksForPasskey || repeatsPasskey(step)
    }

    /// Whether a step asks once more for the passkey of an earlier question.
    private func repeatsPasskey(_ step: EmbeddedFlowResponse) -> Bool {
        step.isForPasskey && step.flowId.hasBytes(of: passkeyStep?.flowId)
    }

    private func automaticAnswer(to step: EmbeddedFlowResponse) async throws -> EmbeddedSignInPayload? {
        guard step.flowStatus == .promptOnly else { return nil }
        if let redirection = step.redirection {
            guard let browser = means.webAuthenticator, let server = URL(string: try configuration().baseUrl),
                let callback = redirection.callbackURI(beyond: server)
            else {
                throw IAMError(.mfaRequired, "This sign-in goes on in a browser, which cannot be opened here.")
            }
            return try step.payload(
                for: await browser.authenticate(
                    WebAuthenticationRequest(url: redirection.url, redirectURI: callback)))
        }
        guard let asking = step.asksForPasskey ? step : repeatsPasskey(step) ? passkeyStep : nil else { return nil }
        if let request = try asking.passkeyRequest {
            return step.payload(for: try await passkeys().assertion(for: request))
        }
        if let creation = try asking.passkeyCreation {
            return step.payload(for: try await passkeys().registration(for: creation))
        }
        return nil
    }

    private func configuration() throws -> ThunderIDConfig {
        guard let client else { throw IAMError(.sdkNotInitialized, "The flow has not begun.") }
        return try client.getConfiguration()
    }

    private func passkeys() throws -> any PasskeyAuthenticator {
        guard let passkeys = means.passkeys else {
            throw IAMError(.mfaRequired, "This sign-in asks for a passkey, which this app cannot use here.")
        }
        return passkeys
    }
}

extension EmbeddedFlowResponse {
    /// Whether the step has a question for a passkey with it.
    fileprivate var asksForPasskey: Bool {
        data?.additionalData?["passkeyChallenge"] != nil || data?.additionalData?["passkeyCreationOptions"] != nil
    }
}
