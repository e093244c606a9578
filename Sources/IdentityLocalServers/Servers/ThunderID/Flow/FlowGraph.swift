import IdentityKit

/// Purposes of flows, with their names on the wire.
enum FlowType: String, Sendable, CaseIterable {
    case authentication = "AUTHENTICATION"
    case registration = "REGISTRATION"
    case recovery = "RECOVERY"
    case signOut = "SIGNOUT"
    case userOnboarding = "USER_ONBOARDING"
    case administration = "ADMINISTRATION"

    /// The time from an execution's creation to its expiry (Backends/ThunderID.md#lifetime-of-an-execution).
    var lifetime: Duration {
        switch self {
        case .authentication, .registration, .administration: .seconds(3600)
        case .recovery, .signOut: .seconds(1800)
        case .userOnboarding: .seconds(86_400)
        }
    }
}

/// An action that a person can choose in a prompt. The flow then continues at `nextNode`.
struct FlowAction: Sendable, Equatable {
    let ref: String
    let nextNode: String
    /// The inputs that belong to the action, including optional ones.
    var inputs: [FlowInput] = []
    /// The `type` of the action in responses, such as `CONFIRM`; `nil` for none.
    var type: String?
    /// The authentication class of the sign-in method, for an option of a chooser; otherwise `nil`.
    var authenticationClass: String?

    var json: JSONValue {
        var members: [String: JSONValue] = ["ref": .string(ref), "nextNode": .string(nextNode)]
        members["type"] = type.map(JSONValue.string)
        return .object(members)
    }
}

/// A node that asks the person for inputs or a choice.
struct FlowPrompt: Sendable {
    let actions: [FlowAction]
    /// The component tree, which describes the prompt to a user interface.
    var components: [JSONValue]
    /// Whether responses contain the component tree as a JSON text instead of an object.
    var isDescribedAsText = false
    /// Whether the prompt is a chooser among sign-in methods (`LOGIN_OPTIONS`).
    var isChooser = false

    /// The inputs of all actions, only one for each identifier.
    var inputs: [FlowInput] {
        actions.flatMap(\.inputs).reduce(into: []) { unique, input in
            if !unique.contains(where: { $0.identifier == input.identifier }) { unique.append(input) }
        }
    }
}

extension FlowPrompt {
    /// Returns a prompt with a form: a heading, a block with fields and a submit button, and other actions.
    /// - Parameters:
    ///   - heading: the translation key of the heading; `nil` for none.
    ///   - action: the action of the button, with the form's inputs.
    ///   - fields: the prefix of the translation keys for the fields' texts; `nil` to show no fields for the inputs.
    ///   - submit: the translation key of the button's text.
    ///   - others: the actions besides that of the button.
    ///   - before: the block's components between the fields and the button.
    ///   - after: the block's components after the button.
    ///   - below: the components below the block.
    static func form(
        _ heading: String?, _ action: FlowAction, fields: String? = nil, submit: String, others: [FlowAction] = [],
        before: [JSONValue] = [], after: [JSONValue] = [], below: [JSONValue] = []
    ) -> FlowPrompt {
        let shown = fields.map { texts in action.inputs.map { JSONValue.field($0, texts: texts) } } ?? []
        let block = JSONValue.block(shown + before + [.submit(action.ref, text: submit)] + after)
        let headings = heading.map { [JSONValue.heading($0)] } ?? []
        return FlowPrompt(actions: [action] + others, components: headings + [block] + below)
    }
}

enum FlowNode: Sendable {
    case prompt(FlowPrompt)
    /// Shows a text and components, without inputs or actions.
    case message(String, components: [JSONValue], next: String)
    case task(FlowTask, onSuccess: String, onIncomplete: String? = nil, onFailure: String? = nil)
    /// Runs another flow to its end, then continues at `onSuccess`.
    case call(FlowType, onSuccess: String)
    case end
}

/// A flow. `start` and the targets of its nodes are keys of `nodes`.
struct FlowGraph: Sendable {
    let start: String
    let nodes: [String: FlowNode]
}

struct FlowLibrary: Sendable {
    let graphs: [FlowType: FlowGraph]

    init(_ configuration: LocalThunderIDServer.Configuration) {
        graphs = [
            .authentication: .signIn(configuration.signIn),
            .registration: .registration(configuration.registration),
            .recovery: .recovery,
            .signOut: .signOut(configuration.signOutConfirmation),
            .userOnboarding: .onboarding,
            .administration: .administration,
        ]
    }

    func start(of type: FlowType) -> FlowExecution.Position {
        .init(graph: type, node: graphs[type]?.start ?? "end")
    }

    func node(at position: FlowExecution.Position) -> FlowNode {
        graphs[position.graph]?.nodes[position.node] ?? .end
    }
}
