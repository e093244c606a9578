import IdentityKit

/// A response of `POST /flow/execute` with status 200 (Backends/ThunderID.md#a-response).
struct FlowResponse: Decodable, Sendable {
    let executionId: String
    let flowStatus: FlowStatus
    /// `VIEW` or `REDIRECTION`: how the next step is presented.
    let type: String?
    /// The token the next call must present; the server issues a new one with every incomplete response.
    let challengeToken: Secret?
    let data: StepData
    /// The proof of a finished sign-in. Not every flow yields one.
    let assertion: Secret?
    let error: APIError?

    /// The inputs of the step; empty when it asks for none.
    var inputs: [Input] { data.inputs ?? [] }

    var asksForPassword: Bool { inputs.contains { $0.type == "PASSWORD_INPUT" } }

    struct StepData: Decodable, Sendable {
        let inputs: [Input]?
        let actions: [Action]?
        let redirectURL: String?
        let additionalData: [String: JSONValue]?
        let fieldErrors: [FieldError]?
        /// How an administrator laid the step out. Anything can be in it.
        let meta: JSONValue?

        /// The ways on that can be chosen. Without a name one cannot be, and is the only one there is.
        var choices: [Action] { (actions ?? []).filter { $0.ref?.isEmpty == false } }
    }

    /// An input of a step, submitted under its identifier and not under its `ref`.
    struct Input: Decodable, Sendable {
        let identifier: String
        let type: String?
        let required: Bool?
        let options: [String]?
        let validation: [Rule]?
    }

    /// A rule for the form of a value. The server checks it again.
    struct Rule: Decodable, Sendable {
        let type: String
        let value: JSONValue?
        let message: String?
    }

    /// A way on, submitted by its `ref`.
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

    /// A text with the key of its translation and what to put into it.
    struct Text: Decodable, Sendable {
        let key: String?
        let defaultValue: String?
        var params: [String: String]?
    }

    private enum CodingKeys: String, CodingKey {
        case code, message, description
    }

    /// Reads the envelope; some endpoints write plain strings in place of texts.
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

    /// The most telling text of the server.
    var text: String? { description?.defaultValue ?? message?.defaultValue }
}
