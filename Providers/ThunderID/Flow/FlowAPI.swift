import Foundation
import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// `POST /flow/execute` and the call that turns its assertion into an authorization response.
struct FlowAPI: Sendable {
    let baseURL: ServerURL
    let transport: any HTTPTransport

    /// Starts a sign-in flow of an application (ThunderID flow execution, initiate).
    func initiate(applicationID: String) async throws -> FlowAnswer {
        try await execute(["applicationId": .string(applicationID), "flowType": "AUTHENTICATION"])
    }

    /// Fetches the first step of an execution that an authorization request created. No challenge token exists yet.
    func open(executionID: String) async throws -> FlowAnswer {
        try await execute(["executionId": .string(executionID)])
    }

    /// Submits a step (ThunderID flow execution, submit).
    /// - Parameters:
    ///   - answer: the answer that asked for it.
    ///   - inputs: by identifier, only those the step asked for.
    ///   - action: the `ref` of the chosen action.
    func submit(after answer: FlowAnswer, inputs: [String: Secret], action: String?) async throws -> FlowAnswer {
        var body: [String: JSONValue] = [
            "executionId": .string(answer.executionId),
            "inputs": .object(inputs.mapValues { .string($0.reveal()) }),
        ]
        if let token = answer.challengeToken { body["challengeToken"] = .string(token.reveal()) }
        if let action { body["action"] = .string(action) }
        return try await execute(body)
    }

    /// Hands the assertion of a finished flow to the authorization request it belongs to (ThunderID OAuth, authorization
    /// callback).
    /// - Returns: the address the browser would be sent to, with a code or an error.
    func finishAuthorization(authID: String, assertion: Secret) async throws -> URL {
        let answer: AuthorizationAnswer = try await post(
            "oauth2/auth/callback", ["authId": .string(authID), "assertion": .string(assertion.reveal())])
        guard let url = URL(string: answer.redirectURI) else {
            throw IAMError(.serverError, "The server named an address that is none. Try again later.")
        }
        return url
    }

    struct AuthorizationAnswer: Decodable {
        let redirectURI: String

        private enum CodingKeys: String, CodingKey {
            case redirectURI = "redirect_uri"
        }
    }

    private func execute(_ body: [String: JSONValue]) async throws -> FlowAnswer {
        try await post("flow/execute", body)
    }

    private func post<Answer: Decodable>(_ path: String, _ body: [String: JSONValue]) async throws -> Answer {
        var request = URLRequest(url: baseURL.appending(path))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.httpBody = try JSONEncoder().encode(body)
        let (data, response) = try await IAMError.translating { try await transport.data(for: request) }
        guard response.statusCode == 200 else {
            if let error = try? JSONDecoder().decode(APIError.self, from: data) { throw error.iamError }
            guard response.statusCode != 404 else {
                throw IAMError(
                    .invalidConfiguration, "There is no ThunderID server at this address (status 404). Check baseURL.")
            }
            throw IAMError(.serverError, "The server answered with status \(response.statusCode). Try again later.")
        }
        do {
            return try JSONDecoder().decode(Answer.self, from: data)
        } catch {
            throw IAMError(.serverError, "The server's answer could not be understood. Try again later.")
        }
    }
}
