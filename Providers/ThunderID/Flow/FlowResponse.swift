import IdentityKit

/// A response of `POST /flow/execute` with status 200 (Backends/ThunderID.md#a-response).
struct FlowResponse: Decodable, Sendable {
    let executionId: String
    let flowStatus: FlowStatus
    /// The presentation of the next step: `VIEW` or `REDIRECTION`.
    let type: String?
    /// The token that the next call must send. With `nil`, as in some responses with an error, the previous token stays
    /// valid.
    let challengeToken: Secret?
    let data: StepData
    /// The assertion of a finished sign-in; some flows end without one.
    let assertion: Secret?
    let error: APIError?

    var inputs: [Input] { data.inputs ?? [] }

    var asksForPassword: Bool { inputs.contains { $0.type == "PASSWORD_INPUT" } }

    struct StepData: Decodable, Sendable {
        let inputs: [Input]?
        let actions: [Action]?
        let redirectURL: String?
        let additionalData: [String: JSONValue]?
        let fieldErrors: [FieldError]?
        /// The layout of the step, as an administrator wrote it. The server does not check it, so it can be any JSON.
        let meta: JSONValue?

        /// The actions that a submission can name. An action without a `ref` is left out: it is the step's only
        /// action, and its submission names no action.
        var choices: [Action] { (actions ?? []).filter { $0.ref?.isEmpty == false } }
    }

    /// An input of a step, which is submitted under its identifier, not its `ref`.
    struct Input: Decodable, Sendable {
        let identifier: String
        let type: String?
        let required: Bool?
        let options: [String]?
        let validation: [Rule]?
    }

    /// A rule for the value of an input. The server checks it too.
    struct Rule: Decodable, Sendable {
        let type: String
        let value: JSONValue?
        let message: String?
    }

    /// An action, which is submitted by its `ref`.
    struct Action: Decodable, Sendable {
        let ref: String?
        let type: String?
        let nextNode: String?
    }

    struct FieldError: Decodable, Sendable {
        let identifier: String
        let message: String?
    }
}

/// The error envelope of ThunderID's own APIs (Backends/ThunderID.md#errors).
struct APIError: Decodable, Sendable {
    let code: String
    let message: Text?
    let description: Text?

    /// A text, with the key of its translation and the parameters.
    struct Text: Decodable, Sendable {
        let key: String?
        let defaultValue: String?
        var params: [String: String]?
    }

    private enum CodingKeys: String, CodingKey {
        case code, message, description
    }

    /// Decodes an error. Some endpoints send `message` and `description` as strings instead of objects.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = try container.decode(String.self, forKey: .code)
        func text(_ key: CodingKeys) -> Text? {
            if let text = try? container.decode(Text.self, forKey: key) { return text }
            return (try? container.decode(String.self, forKey: key)).map { Text(key: nil, defaultValue: $0) }
        }
        message = text(.message)
        description = text(.description)
    }

    /// The server's text: the description, or else the message.
    var text: String? { description?.defaultValue ?? message?.defaultValue }
}
