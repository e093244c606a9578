import Foundation
import IdentityKit
import IdentityOAuth

/// Runs flows at the server: sends the submissions of a ``FlowState``, updates it with the responses, and creates a
/// session from the assertion of a finished flow.
struct FlowDriver: Sendable {
    let api: FlowAPI
    let texts: FlowTextsAPI
    let tokens: TokenService?
    let time: TimeSource
    let language: String?

    /// Starts `flow` at the server, which calls each run of a flow an execution. If `flow` has an authorization request, that
    /// request has already created an execution, and `payload` is submitted to it. For any other flow, starts a new execution.
    /// - Parameters:
    ///   - flow: the new state, which is updated with the response.
    ///   - payload: the values to submit at the start.
    ///   - flowType: the purpose of the flow; ignored for an authorization request, which determines it.
    ///   - attestation: the app's attestation; ignored for an authorization request.
    ///   - accessToken: the access token of an administrator, for administrators' flows; ignored for an authorization
    ///     request.
    /// - Throws: as ``ServerAPI/send(_:_:query:body:headers:as:)``.
    @discardableResult
    func begin(
        _ flow: inout FlowState, with payload: EmbeddedSignInPayload = EmbeddedSignInPayload(),
        flowType: FlowType = .authentication, attestation: Secret? = nil, accessToken: Secret? = nil
    ) async throws -> EmbeddedFlowResponse {
        let submission = flow.submission(of: payload)
        let response =
            if let authorization = flow.authorization {
                // The authorization request has already created the execution.
                try await api.submit(submission, executionID: authorization.executionID)
            } else {
                try await api.initiate(
                    FlowAPI.Start(
                        applicationID: flow.applicationID, flowType: flowType, inputs: submission.inputs,
                        action: submission.action, attestation: attestation, accessToken: accessToken))
            }
        return try await taken(response, by: &flow)
    }

    /// Submits the person's input for the current step of `flow`, and updates `flow` with the response.
    /// - Returns: the next step.
    /// - Throws: as ``ServerAPI/send(_:_:query:body:headers:as:)``.
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

    /// Returns the session of a finished flow. For a flow with an authorization request, exchanges the assertion for an
    /// authorization code, and the code for tokens. The code is kept in `flow`, so that this call can be repeated after a
    /// failure. For any other flow, the assertion serves as the access token.
    /// - Throws: ``IAMError``, ``OAuthError``, ``TransportError``, ``/IdentityCore/TokenStoreError``,
    ///   `RandomnessError`, or `CancellationError`.
    func credential(_ assertion: Secret, of flow: inout FlowState) async throws -> Credential {
        guard let authorization = flow.authorization, let tokens else {
            return try Credential(
                assertion: assertion, backend: api.server.baseURL.description, at: time.now)
        }
        let callback: URL
        if let known = flow.callback {
            callback = known
        } else {
            callback = try await api.finishAuthorization(authID: authorization.authID, assertion: assertion)
            flow.callback = callback
        }
        let party = try await tokens.connection.party(of: authorization.pending)
        return tokens.credential(try await party.redeem(callback, for: authorization.pending))
    }
}
