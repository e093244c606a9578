import Foundation
import IdentityKit
import OAuthKit

/// Native flows (contract 1).
extension ClientEngine {
    /// Starts a flow, or goes on with one.
    /// - Parameter sessionID: the session it signs in to; without one that of the flow's start.
    func run(
        _ payload: EmbeddedSignInPayload, _ request: EmbeddedFlowRequestConfig, sessionID: String?
    ) async throws -> EmbeddedFlowResponse {
        try await IAMError.translating {
            guard let flowID = payload.flowId, !flowID.isEmpty else {
                let (answer, flow) = try await start(payload, request, for: account(sessionID))
                return try await conclude(answer, flow)
            }
            var flow =
                underway[flowID] ?? FlowUnderway(applicationID: config.applicationId, account: account(sessionID))
            if sessionID != nil { flow.account = account(sessionID) }
            let answer: FlowAnswer
            do {
                answer = try await flows.submit(
                    executionID: flowID,
                    challengeToken: flow.challengeToken ?? payload.challengeToken.map { Secret($0) },
                    inputs: flow.sendable(payload.inputs), action: payload.chosenAction)
            } catch let error as IAMError where error.serverCode == "FES-1004" {
                underway[flowID] = nil
                throw error
            }
            return try await conclude(answer, flow)
        }
    }

    // MARK: The start

    private func start(
        _ payload: EmbeddedSignInPayload, _ request: EmbeddedFlowRequestConfig, for account: AccountID
    ) async throws -> (FlowAnswer, FlowUnderway) {
        let named = request.applicationId.isEmpty ? config.applicationId : request.applicationId
        if request.flowType == .authentication, endsInAuthorization {
            let authorization = try await requireTokens().open(try await authorizationRequest())
            if named == nil || authorization.applicationID == nil || authorization.applicationID == named {
                let answer = try await flows.open(
                    executionID: authorization.executionID, inputs: payload.inputs.mapValues { Secret($0) },
                    action: payload.chosenAction)
                let applicationID = authorization.applicationID ?? named
                return (
                    answer, FlowUnderway(applicationID: applicationID, authorization: authorization, account: account)
                )
            }
            guard config.nativeSession == .automatic else {
                throw IAMError(.invalidConfiguration, "clientId belongs to another application than applicationId.")
            }
        }
        guard named != nil || request.flowType == .userOnboarding else {
            throw IAMError(.invalidConfiguration, "Set applicationId.")
        }
        let start = FlowAPI.Start(
            applicationID: named, flowType: request.flowType, inputs: payload.inputs.mapValues { Secret($0) },
            action: payload.chosenAction, attestation: try await attestation(for: request.flowType),
            accessToken: try await administrator(for: request.flowType, account))
        return (try await flows.initiate(start), FlowUnderway(applicationID: named, account: account))
    }

    /// Whether a native sign-in drives the flow of an authorization request (contract 1.13).
    private var endsInAuthorization: Bool {
        switch config.nativeSession {
        case .assertion: false
        case .refreshable: true
        case .automatic: tokens != nil && (try? config.redirectURI()) != nil && !config.attestationEnabled
        }
    }

    /// The server looks at an attestation where a sign-in or a sign-out starts, and nowhere else (contract 5).
    private func attestation(for flowType: FlowType) async throws -> Secret? {
        guard config.attestationEnabled, [.authentication, .signOut].contains(flowType) else { return nil }
        return try await config.attestationTokenProvider?().asSecret
    }

    /// Only an administrator may start an onboarding (contract 1.10).
    private func administrator(for flowType: FlowType, _ account: AccountID) async throws -> Secret? {
        guard flowType == .userOnboarding, try await liveCredential(of: account) != nil else { return nil }
        return try await credential(of: account).accessToken
    }

    // MARK: The answer

    private func conclude(_ answer: FlowAnswer, _ flow: FlowUnderway) async throws -> EmbeddedFlowResponse {
        var flow = flow
        let concernsPassword = flow.asksForPassword
        flow.note(answer)
        underway[answer.executionId] = answer.flowStatus == .complete ? nil : flow
        // An assertion decides, whatever the flow was for (contract 1.9).
        if answer.flowStatus == .complete, let assertion = answer.assertion {
            try await begin(try await credential(assertion, flow), for: flow.account)
        }
        let words = await texts.texts(for: answer, applicationID: flow.applicationID, language: language)
        return try EmbeddedFlowResponse(
            answer, texts: words, establishesSession: answer.flowStatus == .complete && answer.assertion != nil,
            concernsPassword: concernsPassword)
    }

    private func credential(_ assertion: Secret, _ flow: FlowUnderway) async throws -> Credential {
        guard let authorization = flow.authorization, let tokens else {
            return try Credential(
                assertion: assertion, backend: server.baseURL.description, at: environment.time.now)
        }
        let callback = try await flows.finishAuthorization(authID: authorization.authID, assertion: assertion)
        return tokens.credential(try await tokens.relyingParty.redeem(callback, for: authorization.pending))
    }

    /// The language of labels and messages.
    var language: String? { config.language ?? Locale.preferredLanguages.first }
}

extension EmbeddedSignInPayload {
    fileprivate var chosenAction: String? { actionId.flatMap { $0.isEmpty ? nil : $0 } }
}

extension String {
    fileprivate var asSecret: Secret { Secret(self) }
}
