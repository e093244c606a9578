/// The values submitted to a step of a flow; empty to start one.
public struct EmbeddedSignInPayload: Sendable, Hashable {
    /// The flow to continue, from ``EmbeddedFlowResponse/flowId`` or a mailed link; `nil` to start one.
    public var flowId: String?
    /// The ``FlowAction/id`` of the chosen action; `nil` or empty if the step has only one.
    public var actionId: String?
    /// The values by ``FlowInput/name``, all as texts; Booleans are `true` or `false`.
    public var inputs: [String: String]
    /// The token of the previous response. The client adds it; it is needed only for a flow that another client object started.
    public var challengeToken: String?

    /// Creates a submission; without arguments it starts a flow.
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

/// The flow and the application of a call, used only at the start of a flow.
public struct EmbeddedFlowRequestConfig: Sendable, Hashable {
    /// The application's identifier; empty for the configured one. The OAuth client identifier is a different one.
    public var applicationId: String
    /// The purpose of the flow.
    public var flowType: FlowType

    /// Creates the configuration for a flow of an application.
    public init(applicationId: String, flowType: FlowType = .authentication) {
        self.applicationId = applicationId
        self.flowType = flowType
    }
}
