import Foundation
import IdentityKit

extension SignInFlow {
    /// Starts the flow with the client of `state`, if `state.isReady` is `true`. Until then, a flow without a step shows the
    /// error of `state` and a button to try again, or only progress while there is no error. Call this method again when
    /// `state` has changed.
    public func start(below state: ThunderIDState) async {
        provider = state
        if !hasOwnTexts { await languageChanged(to: state.texts) }
        guard state.isReady else {
            if step == nil { failure = state.failure }
            return
        }
        await start(with: state.client, handlers: state.handlers)
    }

    /// Starts the flow, or continues the flow of the mailed link that was passed to the initializer. A flow that has
    /// started already is not started again, so a view may call this method whenever it appears.
    public func start(with client: ThunderIDClient, handlers: SignInHandlers = SignInHandlers()) async {
        self.client = client
        self.handlers = handlers
        if provider == nil, !hasOwnTexts, let language = client.language { texts = texts.inLanguage(language) }
        guard step == nil, outcome == nil else { return }
        await requestEnd.wait { isLoading }
        // If another task started the flow and was cancelled before the first step, start the flow here.
        guard step == nil, outcome == nil, !Task.isCancelled else { return }
        await restart()
    }

    /// Discards the step and the entered values. Then starts the flow again, or continues the flow of a mailed link
    /// that was not used yet. Does nothing while ``isLoading`` is `true`. If the state that was passed to
    /// ``start(below:)`` was not ready yet, starts that state again first.
    public func restart() async {
        guard !isLoading else { return }
        if client == nil, let provider {
            isLoading = true
            await provider.start()
            endRequest()
            return await start(below: provider)
        }
        (flow, step, isOver, outcome, takenOutcome) = (FlowState(), nil, false, nil, nil)
        (values, agreed) = ([:], [])
        (firstQuestion, lastMessage) = (nil, nil)
        if let nextLink { (link, newestLink, self.nextLink) = (nextLink, nextLink, nil) }
        await run { [link] in link?.payload ?? EmbeddedSignInPayload() }
        // A link can be used only once.
        if step != nil { link = nil }
    }

    /// Continues the flow of a link from a message, in place of the current step. The link is ignored if it equals the
    /// previous one. While ``isLoading`` is `true`, the method first waits for the end of the request, and ignores the link if
    /// the flow has an outcome then.
    public func resume(with link: FlowLink) async {
        guard link != newestLink else { return }
        let hasToWait = isLoading
        nextLink = link
        await requestEnd.wait { isLoading }
        guard nextLink == link else { return }
        guard !Task.isCancelled, !hasToWait || outcome == nil else {
            nextLink = nil
            return
        }
        await restart()
    }

    private func endRequest() {
        isLoading = false
        requestEnd.signal()
    }

    /// Submits the step: the values of its fields with an action, or the mailed link or code. For a step that a browser
    /// page or a passkey completes, opens the page or requests the passkey again. A flow that has ended without an
    /// `outcome`, or has not started, is restarted. Does nothing while ``isLoading`` is `true` or after the flow's
    /// outcome.
    /// - Parameter actionId: the identifier of one of ``actions``; `nil` for the default action, which is the first. An
    ///   identifier that the step does not offer causes the error `invalidInput`.
    public func advance(_ actionId: String? = nil) async {
        guard !isLoading, outcome == nil else { return }
        guard let step, !isOver else { return await restart() }
        if isWaitingForLink { return await submitLink(to: step) }
        if isAutomatic {
            return await run { try await self.automaticPayload() ?? EmbeddedSignInPayload(flowId: step.flowId) }
        }
        // Do not submit the default action in place of an action that the step does not offer, because the person may have
        // refused what the default action accepts.
        guard actionId == nil || actions.contains(where: { $0.id == actionId }) else {
            failure = IAMError(.invalidInput, "This is not possible here. Choose one of the buttons.")
            return
        }
        let chosen = actionId ?? actions.first?.id
        let isUsual = chosen == actions.first?.id
        if isUsual {
            untoldProblems = step.inputs.reduce(into: [:]) { problems, input in
                // Check only visible fields, because the person cannot correct hidden ones.
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

    /// The titles of the elements that the sign-in requires and the person does not agree to share, separated by commas; `nil`
    /// if the person agrees to all of them.
    private var missingConsent: String? {
        let missing = (consent?.purposes ?? []).flatMap(\.essential).filter { !agreed.contains($0) }
        return missing.isEmpty ? nil : missing.map(title(ofElement:)).joined(separator: ", ")
    }

    /// Continues with the entered link or code. For an empty text and for a link of another flow, shows an error and sends
    /// nothing.
    private func submitLink(to step: EmbeddedFlowResponse) async {
        do {
            let payload = try step.payload(forLinkOrCode: inputs.first.map { value(for: $0.name) } ?? "")
            await run { payload }
        } catch {
            failure = IAMError.shown(error)
        }
    }

    /// Submits a payload, and then the payloads from browser pages and passkeys, until a step needs the person, the person
    /// has left the form, or the flow is over. An error is shown as ``failure``.
    func run(_ first: @MainActor () async throws -> EmbeddedSignInPayload) async {
        guard let client else { return }
        (isLoading, failure, untoldProblems) = (true, nil, [:])
        defer { endRequest() }
        do {
            var payload = try await first()
            while true {
                _ = flow.submission(of: payload)
                let response = try await client.signIn(payload: payload, request: request, sessionId: sessionID)
                if response.flowStatus == .complete, request.flowType == .signOut {
                    // After a sign-out at the server, end the session of the app as well.
                    try await client.signOut(sessionId: sessionID)
                }
                let isRestart = take(response)
                if isRestart {
                    (flow, payload, firstQuestion) = (FlowState(), EmbeddedSignInPayload(), nil)
                } else if response.error == nil, !isOver, !isLeft, let automatic = try await automaticPayload() {
                    payload = automatic
                } else {
                    return
                }
            }
        } catch is CancellationError {
            // The person closed the page or the passkey sheet, or the task was cancelled. Keep the step, so that the
            // person can try again.
        } catch {
            failure = IAMError.shown(error)
            if failure?.code == .sessionExpired { isOver = true }
        }
    }

    /// Shows a response as the current step, with its error and its outcome. After a wrong mailed link or code, if the person
    /// can still enter the right one, shows only the error and keeps the step.
    /// - Returns: whether the caller must start the flow again.
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
        return takeOutcome(of: response)
    }

    /// Ends the flow if the response is the last one of the flow. Exception: if a flow that should sign the person in fails
    /// because of a mailed code, or ends with nobody signed in, it is started again once, with a notice.
    /// - Returns: whether the caller must start the flow again.
    private func takeOutcome(of response: EmbeddedFlowResponse) -> Bool {
        switch flow.outcome {
        case nil:
            // An onboarding ends here for the administrator, because the new user opens the mailed link.
            if request.flowType == .userOnboarding, response.waitsForLink { (isOver, outcome) = (true, .finished) }
        case .failed(let failure)
        where failure.code == .invitationCodeExpired && request.flowType == .authentication && flowNotice == nil:
            // The server has ended the flow because of a wrong mailed code. Start the flow again, and show the reason as its
            // notice.
            (flowNotice, self.failure) = (Notice(text: texts.text(for: failure)), nil)
            return true
        case .failed(let failure):
            (isOver, self.failure) = (true, failure)
        case .signedIn:
            (isOver, outcome) = (true, .signedIn)
        case .passwordChanged, .finished:
            // The flow ended without a sign-in, for example after a change of the password. Start the flow again, so that the
            // person can sign in.
            if request.flowType == .authentication, flowNotice == nil {
                flowNotice = Notice(text: response.message ?? response.data?.headings.first)
                return true
            }
            // A sign-in flow that ends in this way twice has no outcome, so that the person can start it again.
            (isOver, outcome) = (true, request.flowType == .authentication ? nil : .finished)
        }
        return false
    }

    /// Removes the entered values, except those of fields that the next step shows again and that are not secret. Removes
    /// every agreement to share data.
    private func forget(unless response: EmbeddedFlowResponse) {
        let names = Set(response.inputs.filter { !$0.isSecret }.map(\.name))
        values = values.filter { names.contains($0.key) }
        agreed = []
    }

    /// Selects the root organization unit in each empty field for a unit, if the response has the identifier of the root.
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
            // For another action, such as "I forgot my password", leave out secrets and empty fields.
            if !isUsual, input.isSecret || value.isEmpty { continue }
            // Send an optional field even if it is empty, because otherwise the flow would ask for it again.
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
