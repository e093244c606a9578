import Foundation
import IdentityKit

extension SignInFlow {
    /// Starts the flow after the client of `state` is initialized. Until then an obstacle, such as a locked device, is
    /// shown as the error, and the button tries again.
    public func start(below state: ThunderIDState) async {
        provider = state
        if !hasOwnTexts { await languageChanged(to: state.texts) }
        guard state.isReady else {
            if step == nil { failure = state.failure }
            return
        }
        await start(with: state.client, handlers: state.handlers)
    }

    /// Starts the flow, or continues with its link, unless it has started already, as when a view reappears.
    public func start(with client: ThunderIDClient, handlers: SignInHandlers = SignInHandlers()) async {
        self.client = client
        self.handlers = handlers
        if provider == nil, !hasOwnTexts, let language = client.language { texts = texts.inLanguage(language) }
        guard step == nil, !isLoading, outcome == nil else { return }
        await restart()
    }

    /// Starts the flow from its beginning.
    public func restart() async {
        guard !isLoading else { return }
        if client == nil, let provider {
            isLoading = true
            await provider.start()
            isLoading = false
            return await start(below: provider)
        }
        (flow, step, isOver, outcome) = (FlowState(), nil, false, nil)
        (values, agreed) = ([:], [])
        (firstQuestion, lastMessage) = (nil, nil)
        await run { [link] in link?.payload ?? EmbeddedSignInPayload() }
        // A link can be used only once.
        if step != nil { link = nil }
    }

    /// Continues with the link of a message, instead of the present step. A link that was used already is ignored.
    public func resume(with link: FlowLink) async {
        guard !isLoading, link != newestLink else { return }
        (self.link, newestLink) = (link, link)
        await restart()
    }

    /// Continues with the given action, or else with the default one, which is the first.
    public func advance(_ actionId: String? = nil) async {
        guard !isLoading, outcome == nil else { return }
        guard let step, !isOver else { return await restart() }
        if isWaitingForLink { return await submitLink(to: step) }
        if isAutomatic {
            return await run { try await self.automaticPayload() ?? EmbeddedSignInPayload(flowId: step.flowId) }
        }
        // Never replace an action that was not offered by another one, because that could turn a refusal into a consent.
        guard actionId == nil || actions.contains(where: { $0.id == actionId }) else {
            failure = IAMError(.invalidInput, "This is not possible here. Choose one of the buttons.")
            return
        }
        let chosen = actionId ?? actions.first?.id
        let isUsual = chosen == actions.first?.id
        if isUsual {
            untoldProblems = step.inputs.reduce(into: [:]) { problems, input in
                // A person cannot correct hidden fields, so their errors are not shown.
                guard inputs.contains(input) else { return }
                problems[input.name] = input.problem(with: typed(in: input))
            }
            failure = missingConsent.map {
                IAMError(.consentRequired, "The sign-in does not go on without this: \($0).")
            }
            guard problems.isEmpty, failure == nil else { return }
        }
        let payload = EmbeddedSignInPayload(
            flowId: step.flowId, actionId: chosen, inputs: inputs(to: step, isUsual: isUsual))
        await run { payload }
    }

    /// The message about consent that the default action requires and the person has not given; `nil` if none is missing.
    private var missingConsent: String? {
        let missing = (consent?.purposes ?? []).flatMap(\.essential).filter { !agreed.contains($0) }
        return missing.isEmpty ? nil : missing.map(title(ofElement:)).joined(separator: ", ")
    }

    /// Continues with the entered link or code. A link for another step is not sent.
    private func submitLink(to step: EmbeddedFlowResponse) async {
        do {
            let payload = try step.payload(forLinkOrCode: inputs.first.map { value(for: $0.name) } ?? "")
            await run { payload }
        } catch {
            failure = IAMError.shown(error)
        }
    }

    func run(_ first: @MainActor () async throws -> EmbeddedSignInPayload) async {
        guard let client else { return }
        (isLoading, failure, untoldProblems) = (true, nil, [:])
        defer { isLoading = false }
        do {
            var payload = try await first()
            while true {
                _ = flow.submission(of: payload)
                let response = try await client.signIn(payload: payload, request: request, sessionId: sessionID)
                if response.flowStatus == .complete, request.flowType == .signOut {
                    // A sign-out at the server also ends the session here.
                    try await client.signOut(sessionId: sessionID)
                }
                let isRestart = take(response)
                if isRestart {
                    (flow, payload, firstQuestion) = (FlowState(), EmbeddedSignInPayload(), nil)
                } else if response.error == nil, !isOver, let automatic = try await automaticPayload() {
                    payload = automatic
                } else {
                    return
                }
            }
        } catch is CancellationError {
            // After a cancellation the step stays.
        } catch {
            failure = IAMError.shown(error)
            if failure?.code == .sessionExpired { isOver = true }
        }
    }

    /// Shows a response.
    /// - Returns: whether the flow has to be started again.
    private func take(_ response: EmbeddedFlowResponse) -> Bool {
        flow.take(response)
        if let refusal = flow.linkRefusal {
            failure = refusal
            return false
        }
        forget(unless: response)
        suggest(for: response)
        step = response
        stepCount += 1
        firstQuestion = firstQuestion ?? Question(response)
        if response.data?.additional("otpNumericOnly") != nil {
            hasNumericCode = response.oneTimeCode?.isNumeric ?? true
        }
        lastMessage = response.message ?? lastMessage
        failure = response.error
        untoldProblems = response.inputs.reduce(into: [:]) { $0[$1.name] = $1.problem }
        switch flow.outcome {
        case nil:
            // The administrator's part of an onboarding has ended, because another person opens the link.
            if request.flowType == .userOnboarding, response.waitsForLink { (isOver, outcome) = (true, .finished) }
        case .failed(let failure)
        where failure.code == .invitationCodeExpired && request.flowType == .authentication && flowNotice == nil:
            // A wrong mailed code has ended the server's flow, so start again and show the reason.
            (flowNotice, self.failure) = (Notice(text: texts.text(for: failure)), nil)
            return true
        case .failed(let failure):
            (isOver, self.failure) = (true, failure)
        case .signedIn:
            (isOver, outcome) = (true, .signedIn)
        case .passwordChanged, .finished:
            // The sign-in flow ended with something else, such as a new password; the person can sign in now.
            if request.flowType == .authentication, flowNotice == nil {
                flowNotice = Notice(text: response.message ?? response.data?.headings.first)
                return true
            }
            (isOver, outcome) = (true, .finished)
        }
        return false
    }

    /// Keeps entered values only for fields that are shown again, but no secrets.
    private func forget(unless response: EmbeddedFlowResponse) {
        let names = Set(response.inputs.filter { !$0.isSecret }.map(\.name))
        values = values.filter { names.contains($0.key) }
        agreed = []
    }

    /// Fills in values that nobody types, such as the identifier of the root organization unit.
    private func suggest(for response: EmbeddedFlowResponse) {
        guard let root = response.data?.additional("rootOuId") else { return }
        for input in response.inputs where input.type == "OU_SELECT" && value(for: input.name).isEmpty {
            values[input.name] = root
        }
    }

    private func inputs(to step: EmbeddedFlowResponse, isUsual: Bool) -> [String: String] {
        var submitted: [String: String] = [:]
        for input in step.inputs where suggestion == nil || !input.isOfPasskey {
            if input.type == "CONSENT_INPUT", let consent {
                // Only the default action gives consent.
                submitted[input.name] = consent.decisions(agreeingTo: isUsual ? agreed : [])
                continue
            }
            let value = typed(in: input)
            // Actions such as "I forgot my password" need no password.
            if !isUsual, input.isSecret || value.isEmpty { continue }
            // An optional field is sent even if it is empty, because otherwise the flow would ask for it again.
            submitted[input.name] = value
        }
        return submitted
    }

    private func typed(in input: FlowInput) -> String {
        let value = values[input.name] ?? ""
        return input.type == "BOOLEAN_INPUT" && value.isEmpty ? "false" : value
    }

    private func automaticPayload() async throws -> EmbeddedSignInPayload? {
        guard suggestion == nil, let client, let server = URL(string: try client.getConfiguration().baseUrl) else {
            return nil
        }
        return try await flow.automaticPayload(handlers.webAuthenticator, handlers.passkeys, server: server)
    }
}
