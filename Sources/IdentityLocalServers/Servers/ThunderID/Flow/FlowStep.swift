import Foundation
import IdentityKit

/// The response to one call of a flow (Backends/ThunderID.md#a-response).
struct FlowStep: Sendable {
    enum Status: String, Sendable {
        case complete = "COMPLETE"
        case incomplete = "INCOMPLETE"
        case error = "ERROR"
    }

    enum SessionChange: Sendable {
        case set(handle: String)
        case clear
    }

    /// An input with an invalid value, and the message about it.
    struct FieldError: Sendable {
        let identifier: String
        let message: String
    }

    struct View: Sendable {
        var inputs: [FlowInput] = []
        var actions: [FlowAction] = []
        var description: JSONValue?
        var fieldErrors: [FieldError] = []
        /// The address that the browser must visit before the flow continues.
        var redirectURL: String?
        var message: String?

        /// Returns the value of `data.meta` for the given components: an object, or the JSON text of the object if `asText`
        /// is `true`.
        static func description(_ components: [JSONValue], asText: Bool = false) -> JSONValue {
            let description: JSONValue = ["components": .array(components)]
            return asText ? .string(String(decoding: LocalResponse.json(description).body, as: UTF8.self)) : description
        }
    }

    let executionID: String
    let status: Status
    var view = View()
    var additionalData: [String: String] = [:]
    var challengeToken: String?
    var assertion: String?
    var errorAssertion: String?
    var error: APIError?
    var sessionChange: SessionChange?

    /// The response as JSON. Members without content are omitted, except for `data`, which can be an empty object.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "executionId": .string(executionID), "flowStatus": .string(status.rawValue), "data": data,
        ]
        if status == .incomplete { members["type"] = view.redirectURL == nil ? "VIEW" : "REDIRECTION" }
        members["challengeToken"] = challengeToken.map(JSONValue.string)
        members["assertion"] = assertion.map(JSONValue.string)
        members["errorAssertion"] = errorAssertion.map(JSONValue.string)
        members["error"] = error?.json
        return .object(members)
    }

    private var data: JSONValue {
        var members: [String: JSONValue] = [:]
        if !view.inputs.isEmpty { members["inputs"] = .array(view.inputs.map(\.json)) }
        if !view.actions.isEmpty { members["actions"] = .array(view.actions.map(\.json)) }
        members["meta"] = view.description
        members["redirectURL"] = view.redirectURL.map(JSONValue.string)
        if !view.fieldErrors.isEmpty { members["fieldErrors"] = .array(view.fieldErrors.map(\.json)) }
        var additionalData = additionalData
        additionalData["message"] = view.message
        if !additionalData.isEmpty {
            members["additionalData"] = .object(additionalData.mapValues(JSONValue.string))
        }
        return .object(members)
    }
}

extension FlowStep.FieldError {
    fileprivate var json: JSONValue { ["identifier": .string(identifier), "message": .string(message)] }
}
