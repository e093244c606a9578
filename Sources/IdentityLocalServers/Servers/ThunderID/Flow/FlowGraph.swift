import IdentityKit

/// Purposes of flows, with their names on the wire.
enum FlowType: String, Sendable, CaseIterable {
    case authentication = "AUTHENTICATION"
    case registration = "REGISTRATION"
    case recovery = "RECOVERY"
    case signOut = "SIGNOUT"
    case userOnboarding = "USER_ONBOARDING"
    case administration = "ADMINISTRATION"

    /// How long an execution lives, from its creation (Backends/ThunderID.md#lifetime-of-an-execution).
    var lifetime: Duration {
        switch self {
        case .authentication, .registration, .administration: .seconds(3600)
        case .recovery, .signOut: .seconds(1800)
        case .userOnboarding: .seconds(86_400)
        }
    }
}

/// A way out of a prompt.
struct FlowAction: Sendable, Equatable {
    let ref: String
    let nextNode: String
    /// Inputs that must be there before the action can be taken.
    var inputs: [FlowInput] = []
    /// The meaning of the action, such as `CONFIRM`.
    var type: String?
    /// The authentication class that this way of signing in reaches, when it is an option of a chooser.
    var authenticationClass: String?

    var json: JSONValue {
        var members: [String: JSONValue] = ["ref": .string(ref), "nextNode": .string(nextNode)]
        members["type"] = type.map(JSONValue.string)
        return .object(members)
    }
}

/// A node that asks the person.
struct FlowPrompt: Sendable {
    let actions: [FlowAction]
    /// The component tree that describes it to a user interface.
    var components: [JSONValue]
    /// Whether the tree is sent as text, as some flows are stored.
    var isDescribedAsText = false
    /// Whether it is a chooser between ways of signing in (`LOGIN_OPTIONS`).
    var isChooser = false

    /// The inputs of all actions, each once.
    var inputs: [FlowInput] {
        actions.flatMap(\.inputs).reduce(into: []) { unique, input in
            if !unique.contains(where: { $0.identifier == input.identifier }) { unique.append(input) }
        }
    }
}

extension FlowPrompt {
    /// A form: a heading, a block with fields and a button, and other ways on.
    /// - Parameters:
    ///   - action: what the button does.
    ///   - fields: where the texts of the fields are; `nil` for inputs that are not shown.
    ///   - submit: the text of the button.
    ///   - others: the other ways on.
    ///   - before: the block's components before the button.
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
    /// Something to show, with nothing to enter or choose.
    case message(String, components: [JSONValue], next: String)
    case task(FlowTask, onSuccess: String, onIncomplete: String? = nil, onFailure: String? = nil)
    /// Runs another flow in between.
    case call(FlowType, onSuccess: String)
    case end
}

/// A flow: where it starts, and its nodes by name.
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
