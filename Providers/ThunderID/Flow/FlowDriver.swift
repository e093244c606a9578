import Foundation
import IdentityKit
import IdentityOAuth

/// Runs flows at the server: sends the submissions of a ``FlowState``, updates it with the response, and makes a
/// session of its result.
struct FlowDriver: Sendable {
    let api: FlowAPI
    let texts: FlowTextsAPI
    let tokens: TokenService?
    let time: TimeSource
    let language: String?

    /// Starts `flow`: the one of its authorization request, or one of its application.
    /// - Parameters:
    ///   - payload: the values to submit at the start.
    ///   - flowType: the purpose of the flow; ignored for an authorization request, which determines it.
    ///   - attestation: the app's attestation.
    ///   - accessToken: the access token of an administrator, for administrators' flows.
    /// - Throws: ``IAMError``.
    @discardableResult
    func begin(
        _ flow: inout FlowState, with payload: EmbeddedSignInPayload = EmbeddedSignInPayload(),
        flowType: FlowType = .authentication, attestation: Secret? = nil, accessToken: Secret? = nil
    ) async throws -> EmbeddedFlowResponse {
        let submission = flow.submission(of: payload)
        let response =
            if let authorization = flow.authorization {
                // An authorization's flow has no challenge token before the first call.
                try await api.submit(submission, executionID: authorization.executionID)
            } else {
                try await api.initiate(
                    FlowAPI.Start(
                        applicationID: flow.applicationID, flowType: flowType, inputs: submission.inputs,
                        action: submission.action, attestation: attestation, accessToken: accessToken))
            }
        return try await taken(response, by: &flow)
    }

    /// Submits a step.
    /// - Throws: ``IAMError``.
    @discardableResult
    func submit(
        _ payload: EmbeddedSignInPayload, executionID: String, to flow: inout FlowState
    ) async throws -> EmbeddedFlowResponse {
        try await taken(api.submit(flow.submission(of: payload), executionID: executionID), by: &flow)
    }

    private func taken(
        _ response: FlowResponse, by flow: inout FlowState
    ) async throws -> EmbeddedFlowResponse {
        let texts = await texts.texts(for: response, applicationID: flow.applicationID, language: language)
        let step = EmbeddedFlowResponse(
            response, texts: texts, applicationID: flow.applicationID, concernsPassword: flow.concernsPassword,
            sentFields: flow.sentFields, isOfAuthorization: flow.authorization != nil)
        flow.take(step)
        return step
    }

    /// The session of a finished flow: the one that its authorization grants, or else one that consists of the assertion.
    /// - Throws: ``IAMError``, ``OAuthError``, ``TransportError``.
    func credential(_ assertion: Secret, of flow: FlowState) async throws -> Credential {
        guard let authorization = flow.authorization, let tokens else {
            return try Credential(
                assertion: assertion, backend: api.server.baseURL.description, at: time.now)
        }
        let callback = try await api.finishAuthorization(authID: authorization.authID, assertion: assertion)
        let party = try await tokens.connection.party(of: authorization.pending)
        return tokens.credential(try await party.redeem(callback, for: authorization.pending))
    }
}
