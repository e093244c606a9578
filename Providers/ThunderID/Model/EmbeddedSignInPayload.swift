import Foundation
import IdentityKit

/// What a person answered to a step of a flow, or nothing for its start.
public struct EmbeddedSignInPayload: Sendable, Hashable {
    /// The flow to go on with; `nil` starts one. From ``EmbeddedFlowResponse/flowId``, or from a link that was mailed.
    public var flowId: String?
    /// The ``FlowAction/id`` of the chosen action; `nil` or empty where a step has a single way on.
    public var actionId: String?
    /// The values by ``FlowInput/name``. All are texts; booleans are `true` or `false`.
    public var inputs: [String: String]
    /// The proof of having seen the step. The client remembers it; it is needed only for a flow that another client
    /// object started.
    public var challengeToken: String?

    /// An answer; without arguments the start of a flow.
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
    /// What the flow is for.
    public var flowType: FlowType

    /// A flow of an application.
    public init(applicationId: String, flowType: FlowType = .authentication) {
        self.applicationId = applicationId
        self.flowType = flowType
    }
}

/// A link that was mailed to a person: it goes on with a flow that waits for them (contract 1.10 and 1.11).
public struct FlowLink: Sendable, Hashable {
    /// The flow that waits.
    public let flowId: String
    /// The application the flow belongs to, when the link names it.
    public let applicationId: String?
    /// What the link proves, by input name: `inviteToken` of an invitation or a recovery, or a magic link's token.
    public let inputs: [String: String]

    /// Reads a link.
    /// - Returns: `nil` when it does not go on with a flow.
    public init?(_ url: URL) {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQueryItems ?? []
        var values: [String: String] = [:]
        for item in items {
            // A name that occurs twice is no link of this server's.
            guard let value = item.value?.replacing("+", with: " ").removingPercentEncoding,
                values.updateValue(value, forKey: item.name) == nil
            else { return nil }
        }
        // Invitations name the execution in full, magic links do not.
        let identifier = values.removeValue(forKey: "executionId") ?? values.removeValue(forKey: "id")
        guard let flowId = identifier, !flowId.isEmpty else { return nil }
        self.flowId = flowId
        applicationId = values.removeValue(forKey: "applicationId")
        values["authId"] = nil
        inputs = values.filter { $0.key.lowercased().hasSuffix("token") && !$0.value.isEmpty }
        guard !inputs.isEmpty else { return nil }
    }

    /// The answer that goes on with the flow. The link's token stands for the proof of having seen the step.
    public var payload: EmbeddedSignInPayload { EmbeddedSignInPayload(flowId: flowId, inputs: inputs) }
}

extension FlowLink: CustomStringConvertible, CustomReflectable {
    /// Shows no token.
    public var description: String { "FlowLink(\(flowId))" }
    /// Shows no token.
    public var customMirror: Mirror { Mirror(self, children: ["flowId": flowId]) }
}
