import Foundation
import IdentityKit
import IdentityOAuth

/// Carries flows on at the server: sends what a ``FlowState`` says, lets it learn from the response, and turns its end
/// into a session.
struct FlowDriver: Sendable {
    let api: FlowAPI
    let texts: FlowTextsAPI
    let tokens: TokenService?
    let time: TimeSource
    let language: String?

    /// Starts `flow`: the one of its authorization request, or one of its application.
    /// - Parameters:
    ///   - payload: what the start sends.
    ///   - flowType: what the flow is for. An authorization request knows.
    ///   - attestation: proves which app this is.
    ///   - accessToken: the token of an administrator, for flows that are theirs.
    /// - Throws: ``IAMError``.
    @discardableResult
    func begin(
        _ flow: inout FlowState, with payload: EmbeddedSignInPayload = EmbeddedSignInPayload(),
        flowType: FlowType = .authentication, attestation: Secret? = nil, accessToken: Secret? = nil
    ) async throws -> EmbeddedFlowResponse {
        let submission = flow.submission(of: payload)
        let response =
            if let authorization = flow.authorization {
                // No challenge token exists yet.
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

    /// The session that the assertion of a finished flow is, or that its authorization grants.
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
