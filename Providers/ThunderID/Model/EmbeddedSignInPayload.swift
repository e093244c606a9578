import IdentityKit

/// A submission to a step of a flow, or the start of a flow if it has no ``flowId``.
public struct EmbeddedSignInPayload: Sendable, Hashable {
    /// The flow to continue, from ``EmbeddedFlowResponse/flowId`` or a mailed link; `nil` or empty to start a flow.
    public var flowId: String?
    /// The ``FlowAction/id`` of the chosen action. It may be `nil` or empty if the step has no action, or has inputs
    /// and only one action.
    public var actionId: String?
    /// The values by ``FlowInput/name``, all as texts; Booleans are `true` or `false`.
    public var inputs: [String: String]
    /// The challenge token of the previous response. Set it only for a flow that another client object started;
    /// otherwise the client adds it.
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

extension EmbeddedSignInPayload: CustomStringConvertible, Reticent {
    /// Shows the flow, the action and the names of the inputs, but neither their values nor the challenge token.
    public var description: String {
        "EmbeddedSignInPayload(\(flowId ?? "start"), \(actionId ?? "no action"), \(inputs.keys.sorted()))"
    }
    /// Shows only the names of the inputs, without their values.
    package var shown: KeyValuePairs<String, Any> { ["inputs": inputs.keys.sorted()] }
}

/// The application and the purpose of a flow, which the client uses only to start the flow.
public struct EmbeddedFlowRequestConfig: Sendable, Hashable {
    /// The application's identifier, which is not its OAuth client identifier; empty for
    /// ``ThunderIDConfig/applicationId``.
    public var applicationId: String
    /// The purpose of the flow, such as a sign-in or a registration.
    public var flowType: FlowType

    /// Creates the configuration of a flow, by default of a sign-in.
    public init(applicationId: String, flowType: FlowType = .authentication) {
        self.applicationId = applicationId
        self.flowType = flowType
    }
}
