/// A submission to a step of a flow, or nothing for its start.
public struct EmbeddedSignInPayload: Sendable, Hashable {
    /// The flow to continue; `nil` starts one. From ``EmbeddedFlowResponse/flowId``, or from a link that was mailed.
    public var flowId: String?
    /// The ``FlowAction/id`` of the chosen action; `nil` or empty where a step has a single way on.
    public var actionId: String?
    /// The values by ``FlowInput/name``. All are texts; booleans are `true` or `false`.
    public var inputs: [String: String]
    /// The proof of having seen the step. The client remembers it; it is needed only for a flow that another client
    /// object started.
    public var challengeToken: String?

    /// A submission; without arguments the start of a flow.
    public init(
        flowId: String? = nil, actionId: String? = nil, inputs: [String: String] = [:], challengeToken: String? = nil
    ) {
        self.flowId = flowId
        self.actionId = actionId
        self.inputs = inputs
        self.challengeToken = challengeToken
    }
}

extension EmbeddedSignInPayload: CustomStringConvertible, CustomReflectable {
    /// Shows no value and no token.
    public var description: String {
        "EmbeddedSignInPayload(\(flowId ?? "start"), \(actionId ?? "no action"), \(inputs.keys.sorted()))"
    }
    /// Shows no value and no token.
    public var customMirror: Mirror { Mirror(self, children: ["inputs": inputs.keys.sorted()]) }
}

/// Which flow of which application a call is about. It is looked at when a flow starts.
public struct EmbeddedFlowRequestConfig: Sendable, Hashable {
    /// The application's entity identifier; empty for the configured one. It is not the OAuth client identifier.
    public var applicationId: String
    /// The purpose of the flow.
    public var flowType: FlowType

    /// A flow of an application.
    public init(applicationId: String, flowType: FlowType = .authentication) {
        self.applicationId = applicationId
        self.flowType = flowType
    }
}
