#if Tools
import Foundation
import IdentityKit

/// The answer to one call of a flow (ThunderID flow execution, response).
struct FlowStep: Sendable {
    enum Status: String, Sendable {
        case complete = "COMPLETE"
        case incomplete = "INCOMPLETE"
        case error = "ERROR"
    }

    /// What a person gets to see.
    struct View: Sendable {
        var inputs: [FlowInput] = []
        var actions: [FlowAction] = []
        var components: [JSONValue]?
        var additionalData: [String: String] = [:]
    }

    let executionID: String
    let status: Status
    var view = View()
    var challengeToken: String?
    var assertion: String?
    var error: APIError?

    /// Members without content are left out, except for `data`.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "executionId": .string(executionID), "flowStatus": .string(status.rawValue), "data": data,
        ]
        if status == .incomplete { members["type"] = "VIEW" }
        members["challengeToken"] = challengeToken.map(JSONValue.string)
        members["assertion"] = assertion.map(JSONValue.string)
        members["error"] = error?.json
        return .object(members)
    }

    private var data: JSONValue {
        var members: [String: JSONValue] = [:]
        if !view.inputs.isEmpty { members["inputs"] = .array(view.inputs.map(\.json)) }
        if !view.actions.isEmpty { members["actions"] = .array(view.actions.map(\.json)) }
        members["meta"] = view.components.map { ["components": .array($0)] }
        if !view.additionalData.isEmpty {
            members["additionalData"] = .object(view.additionalData.mapValues(JSONValue.string))
        }
        return .object(members)
    }
}
#endif
