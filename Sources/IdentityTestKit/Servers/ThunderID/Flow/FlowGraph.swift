#if Tools
import Foundation
import IdentityKit

/// What a flow is for; the raw values are the wire's.
enum FlowType: String, Sendable {
    case authentication = "AUTHENTICATION"
    case registration = "REGISTRATION"
    case recovery = "RECOVERY"
    case signOut = "SIGNOUT"
    case userOnboarding = "USER_ONBOARDING"
    case administration = "ADMINISTRATION"

    /// How long an execution lives, from its creation (ThunderID execution lifetime).
    var lifetime: Duration {
        switch self {
        case .authentication, .registration, .administration: .seconds(3600)
        case .recovery, .signOut: .seconds(1800)
        case .userOnboarding: .seconds(86_400)
        }
    }
}

/// A value a flow asks for.
struct FlowInput: Sendable, Equatable {
    /// How components refer to it; inputs that come from a schema have none.
    var ref: String?
    /// Its key in a submission.
    let identifier: String
    let type: String
    var isRequired = true
    var options: [String] = []

    static func text(_ identifier: String, ref: String? = nil) -> FlowInput {
        FlowInput(ref: ref, identifier: identifier, type: "TEXT_INPUT")
    }

    static func password(ref: String) -> FlowInput {
        FlowInput(ref: ref, identifier: "password", type: "PASSWORD_INPUT")
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "identifier": .string(identifier), "type": .string(type), "required": .bool(isRequired),
        ]
        members["ref"] = ref.map(JSONValue.string)
        if !options.isEmpty { members["options"] = .array(options.map(JSONValue.string)) }
        return .object(members)
    }
}

/// A way out of a prompt.
struct FlowAction: Sendable, Equatable {
    let ref: String
    let nextNode: String
    /// What must be there before it can be taken.
    var inputs: [FlowInput] = []

    var json: JSONValue { ["ref": .string(ref), "nextNode": .string(nextNode)] }
}

/// A node at which a person is asked.
struct FlowPrompt: Sendable {
    let actions: [FlowAction]
    /// The component tree that describes it to a user interface.
    let components: [JSONValue]

    /// The inputs of all actions, each once.
    var inputs: [FlowInput] {
        actions.flatMap(\.inputs).reduce(into: []) { unique, input in
            if !unique.contains(where: { $0.identifier == input.identifier }) { unique.append(input) }
        }
    }
}

/// One step of a flow.
enum FlowNode: Sendable {
    case prompt(FlowPrompt)
    /// Something to show, with nothing to enter or choose.
    case message(String, components: [JSONValue], next: String)
    case task(FlowTask, onSuccess: String, onIncomplete: String? = nil, onFailure: String? = nil)
    /// Another flow, run in between.
    case call(FlowType, onSuccess: String)
    case end
}

/// What a flow does by itself.
enum FlowTask: Sendable {
    case resolveUserType, authenticate, requireNewUser, provision, authorize, assert
    case identifyForRecovery, verifyRecoveryToken, setPassword
    case endSession, requirePermission
}

/// A flow: where it starts, and its nodes by name.
struct FlowGraph: Sendable {
    let start: String
    let nodes: [String: FlowNode]
}
#endif
