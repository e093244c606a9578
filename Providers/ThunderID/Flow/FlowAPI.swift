import Foundation
import IdentityKit

/// The requests to `/flow/execute`, and the requests that complete an authorization or a sign-out after its flow.
struct FlowAPI: Sendable {
    let server: ServerAPI

    struct Start: Sendable {
        var applicationID: String?
        var flowType = FlowType.authentication
        var inputs: [String: Secret] = [:]
        var action: String?
        /// The app's attestation, which the server checks only at the start of a flow.
        var attestation: Secret?
        /// The access token of an administrator, for administrators' flows.
        var accessToken: Secret?
    }

    func initiate(_ start: Start) async throws -> FlowResponse {
        // Verbose responses contain the layout of steps.
        var body: [String: JSONValue] = ["flowType": .string(start.flowType.rawValue), "verbose": true]
        if let applicationID = start.applicationID { body["applicationId"] = .string(applicationID) }
        Self.add(start.inputs, start.action, to: &body)
        var headers: [String: Secret] = [:]
        headers["Attestation-Token"] = start.attestation
        return try await server.post(
            "flow/execute", body, headers: headers, as: start.accessToken.map { .bearer($0) } ?? .none)
    }

    /// Submits the input for the current step of an execution, which is a run of a flow at the server. The first call for the
    /// flow of an authorization request has no challenge token.
    func submit(_ submission: FlowState.Submission, executionID: String) async throws -> FlowResponse {
        var body: [String: JSONValue] = ["executionId": .string(executionID)]
        if let token = submission.challengeToken { body["challengeToken"] = .string(token.reveal()) }
        Self.add(submission.inputs, submission.action, to: &body)
        return try await server.post("flow/execute", body)
    }

    private static func add(_ inputs: [String: Secret], _ action: String?, to body: inout [String: JSONValue]) {
        if !inputs.isEmpty { body["inputs"] = .object(inputs.mapValues { .string($0.reveal()) }) }
        if let action { body["action"] = .string(action) }
    }

    /// Completes an authorization request with the assertion of its finished flow.
    /// - Returns: the callback address, with an authorization code or an error, to which a browser would be redirected.
    /// - Throws: ``IAMError``, or `CancellationError`.
    func finishAuthorization(authID: String, assertion: Secret) async throws -> URL {
        let response: RedirectResponse = try await server.post(
            "oauth2/auth/callback", ["authId": .string(authID), "assertion": .string(assertion.reveal())])
        guard let url = URL(string: response.redirectURI) else {
            throw IAMError(.serverError, "The server named an address that is none. Try again later.")
        }
        return url
    }

    func finishSignOut(logoutID: String) async throws {
        let _: RedirectResponse = try await server.post("oauth2/logout/callback", ["logoutId": .string(logoutID)])
    }

    struct RedirectResponse: Decodable {
        let redirectURI: String

        private enum CodingKeys: String, CodingKey {
            case redirectURI = "redirect_uri"
        }
    }
}
