import Foundation
import IdentityKit

/// `POST /flow/execute` and the calls that turn its outcome into the end of an authorization or a sign-out (contract 1,
/// 2.2 and 2.8).
struct FlowAPI: Sendable {
    let server: ServerAPI

    /// What starts a flow.
    struct Start: Sendable {
        var applicationID: String?
        var flowType = FlowType.authentication
        /// Whether the answers say how the steps are laid out.
        var isVerbose = true
        var inputs: [String: Secret] = [:]
        var action: String?
        /// Proves which app this is. It is looked at here only.
        var attestation: Secret?
        /// The token of an administrator, for flows that are theirs.
        var accessToken: Secret?
    }

    /// Starts a flow of an application (contract 1.1 and 1.2).
    func initiate(_ start: Start) async throws -> FlowAnswer {
        var body: [String: JSONValue] = ["flowType": .string(start.flowType.rawValue)]
        if start.isVerbose { body["verbose"] = true }
        if let applicationID = start.applicationID { body["applicationId"] = .string(applicationID) }
        Self.add(start.inputs, start.action, to: &body)
        var headers: [String: Secret] = [:]
        headers["Attestation-Token"] = start.attestation
        return try await server.post(
            "flow/execute", body, headers: headers, as: start.accessToken.map { .bearer($0) } ?? .none)
    }

    /// Fetches the first step of an execution that somebody else created. No challenge token exists yet.
    func open(
        executionID: String, inputs: [String: Secret] = [:], action: String? = nil
    ) async throws -> FlowAnswer {
        try await submit(executionID: executionID, challengeToken: nil, inputs: inputs, action: action)
    }

    /// Submits a step (contract 1.4).
    /// - Parameters:
    ///   - answer: the answer that asked for it.
    ///   - inputs: by identifier, only those the step asked for.
    ///   - action: the `ref` of the chosen action.
    func submit(after answer: FlowAnswer, inputs: [String: Secret], action: String?) async throws -> FlowAnswer {
        try await submit(
            executionID: answer.executionId, challengeToken: answer.challengeToken, inputs: inputs, action: action)
    }

    /// Submits a step of the execution with this identifier.
    func submit(
        executionID: String, challengeToken: Secret?, inputs: [String: Secret], action: String?
    ) async throws -> FlowAnswer {
        var body: [String: JSONValue] = ["executionId": .string(executionID)]
        if let challengeToken { body["challengeToken"] = .string(challengeToken.reveal()) }
        Self.add(inputs, action, to: &body)
        return try await server.post("flow/execute", body)
    }

    private static func add(_ inputs: [String: Secret], _ action: String?, to body: inout [String: JSONValue]) {
        if !inputs.isEmpty { body["inputs"] = .object(inputs.mapValues { .string($0.reveal()) }) }
        if let action { body["action"] = .string(action) }
    }

    /// Hands the assertion of a finished flow to the authorization request it belongs to.
    /// - Returns: the address the browser would be sent to, with a code or an error.
    func finishAuthorization(authID: String, assertion: Secret) async throws -> URL {
        let answer: RedirectAnswer = try await server.post(
            "oauth2/auth/callback", ["authId": .string(authID), "assertion": .string(assertion.reveal())])
        guard let url = URL(string: answer.redirectURI) else {
            throw IAMError(.serverError, "The server named an address that is none. Try again later.")
        }
        return url
    }

    /// Ends the sign-out whose flow is finished.
    func finishSignOut(logoutID: String) async throws {
        let _: RedirectAnswer = try await server.post("oauth2/logout/callback", ["logoutId": .string(logoutID)])
    }

    struct RedirectAnswer: Decodable {
        let redirectURI: String

        private enum CodingKeys: String, CodingKey {
            case redirectURI = "redirect_uri"
        }
    }
}
