import Foundation
import IdentityKit
import IdentityOAuth

extension ClientEngine {
    /// Starts a flow, or continues the flow that `payload` names. A sign-in at the end of the flow begins a session.
    /// - Parameter sessionID: the session to sign in to; `nil` for the session that was given at the flow's start.
    func run(
        _ payload: EmbeddedSignInPayload, _ request: EmbeddedFlowRequestConfig, sessionID: String?
    ) async throws -> EmbeddedFlowResponse {
        try await IAMError.translating {
            var flow: FlowState
            let step: EmbeddedFlowResponse
            let start: CurrentSession<AccountID>.Moment
            if let flowID = payload.flowId, !flowID.isEmpty {
                flow = pendingFlows[flowID] ?? FlowState(applicationID: config.applicationId)
                flow.sessionID = sessionID ?? flow.sessionID
                start = names.now(flow.sessionID)
                do {
                    step =
                        if let last = flow.lastResponse(to: payload) { last } else {
                            try await driver.submit(payload, executionID: flowID, to: &flow)
                        }
                } catch let error as IAMError where error.serverCode == "FES-1004" {
                    pendingFlows[flowID] = nil
                    throw error
                }
            } else {
                flow = try await newFlow(request, sessionID)
                start = names.now(sessionID)
                step = try await driver.begin(
                    &flow, with: payload, flowType: request.flowType,
                    attestation: flow.authorization == nil ? try await attestation(for: request.flowType) : nil,
                    accessToken: try await administrator(for: request.flowType, sessionID))
            }
            if let flowID = step.flowId { pendingFlows[flowID] = step.flowStatus == .complete ? nil : flow }
            if case .signedIn(let assertion) = flow.outcome {
                try await beginSession(with: assertion, of: flow, step.flowId ?? payload.flowId, since: start)
            }
            return step
        }
    }

    /// Begins the session of a flow that has identified the person. After a failure that may pass, the flow is kept, so
    /// that the app can repeat the last submission.
    private func beginSession(
        with assertion: Secret, of flow: FlowState, _ flowID: String?, since start: CurrentSession<AccountID>.Moment
    ) async throws {
        var flow = flow
        do {
            let credential = try await driver.credential(assertion, of: &flow)
            try await begin(credential, for: flow.sessionID, since: start)
        } catch {
            if let flowID, error.identityFailureClass != .definitive { pendingFlows[flowID] = flow }
            throw error
        }
    }

    private func newFlow(_ request: EmbeddedFlowRequestConfig, _ sessionID: String?) async throws -> FlowState {
        let named = request.applicationId.isEmpty ? config.applicationId : request.applicationId
        if request.flowType == .authentication, endsInAuthorization(of: named) {
            let authorization = try await requireTokens().open(try await authorizationRequest())
            if named == nil || authorization.applicationID == nil || authorization.applicationID == named {
                return FlowState(
                    applicationID: authorization.applicationID ?? named, authorization: authorization,
                    sessionID: sessionID)
            }
            guard config.nativeSession == .automatic else {
                throw IAMError(.invalidConfiguration, "The clientId belongs to another application than applicationId.")
            }
        }
        let applicationID = if let named { named } else { try await applicationOfClient(for: request.flowType) }
        guard applicationID != nil || request.flowType == .userOnboarding else {
            throw IAMError(.invalidConfiguration, "Set applicationId or clientId.")
        }
        return FlowState(applicationID: applicationID, authorization: nil, sessionID: sessionID)
    }

    /// Returns the application of the OAuth client, which the server names at the start of an authorization. `nil` if
    /// the server names none, if no client identifier is configured, or for an onboarding, which has no application.
    private func applicationOfClient(for flowType: FlowType) async throws -> String? {
        guard flowType != .userOnboarding, let tokens else { return nil }
        return try await tokens.open(try await authorizationRequest()).applicationID
    }

    /// Returns whether a native sign-in, in the app's own form, begins with an authorization request. Only then does the
    /// session have a refresh token.
    /// - Parameter application: the application that the app names; `nil` for the client's application, which only the server
    ///   knows.
    private func endsInAuthorization(of application: String?) -> Bool {
        switch config.nativeSession {
        case .assertion: false
        case .refreshable: true
        case .automatic:
            tokens != nil && !config.attestationEnabled
                && (application == nil || (try? config.redirectURI()) != nil)
        }
    }

    /// Returns the attestation for the start of a sign-in or sign-out. `nil` if attestation is off or the app sets no
    /// token provider, and for any other flow, because the server ignores the attestation there.
    private func attestation(for flowType: FlowType) async throws -> Secret? {
        guard config.attestationEnabled, [.authentication, .signOut].contains(flowType) else { return nil }
        guard let token = try await config.attestationTokenProvider?() else { return nil }
        return Secret(token)
    }

    /// Returns the access token for an onboarding, which only an administrator may start; `nil` for other flows, and if
    /// nobody is signed in.
    private func administrator(for flowType: FlowType, _ sessionID: String?) async throws -> Secret? {
        guard flowType == .userOnboarding else { return nil }
        let account = try await account(sessionID)
        guard try await liveCredential(of: account) != nil else { return nil }
        return try await credential(of: account).accessToken
    }

    /// The language of labels and messages: chosen by the app, or else configured, or else the system's preferred language.
    var language: String? { chosenLanguage.tag ?? config.language ?? Locale.preferredLanguages.first }
}
