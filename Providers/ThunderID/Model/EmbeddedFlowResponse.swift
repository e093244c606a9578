import Foundation
import IdentityKit

/// The progress of a flow.
public enum FlowStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// The flow waits for the person: show ``EmbeddedFlowResponse/inputs`` and ``EmbeddedFlowResponse/actions``.
    case promptOnly = "INCOMPLETE"
    /// The flow has ended. ``EmbeddedFlowResponse/establishesSession`` tells whether the person is signed in.
    case complete = "COMPLETE"
    /// The flow cannot continue, because of ``EmbeddedFlowResponse/error``. Start again.
    case error = "ERROR"
}

/// The next step of a flow, or its end.
public struct EmbeddedFlowResponse: Sendable {
    /// Identifier of the flow, to be sent with the next ``EmbeddedSignInPayload``.
    public let flowId: String?
    /// The progress of the flow.
    public let flowStatus: FlowStatus
    /// Always `nil`, because no server names its steps.
    public var stepId: String? { nil }
    /// `VIEW` for a step that the app shows, `REDIRECTION` for one that continues in a browser.
    public let type: String?
    /// The inputs and actions of the step.
    public let data: FlowStepData?
    /// The assertion of a finished flow: a bearer token for ThunderID's own APIs, valid for an hour, but not an OAuth
    /// access token.
    public let assertion: String?
    /// The token that the next submission must contain. The client adds it.
    public let challengeToken: String?
    /// Whether the flow signed the person in. Registration, recovery and sign-out usually end without a session.
    public let establishesSession: Bool
    /// The error of the previous step: a wrong password if the step asks again, or the reason why the flow cannot continue.
    public let error: IAMError?
    /// The server's response, needed to translate the step again; `nil` for a step made by hand.
    var origin: Origin?

    /// The error's message for the person.
    public var failureReason: String? { error?.message }
    /// The fields to show.
    public var inputs: [FlowInput] { data?.inputs ?? [] }
    /// The buttons to show; the first is the default.
    public var actions: [FlowAction] { data?.actions ?? [] }
    /// The text to show above the fields.
    public var message: String? { data?.additional("message") }
    /// Whether the step only shows something: continue with a payload that has only the flow.
    public var isDisplayOnly: Bool {
        flowStatus == .promptOnly && inputs.isEmpty && actions.isEmpty && redirection == nil
    }
    /// Whether the step waits for a value from a mailed link: continue with ``FlowLink/payload``, or with
    /// ``payload(forLinkOrCode:)`` for a pasted or typed text.
    public var waitsForLink: Bool {
        flowStatus == .promptOnly && !inputs.isEmpty && actions.isEmpty
            && inputs.allSatisfy { $0.type == "HIDDEN" && $0.name.lowercased().hasSuffix("token") }
    }
    /// Whether the step asks only for values that nobody can type and has no other action, so that showing it would
    /// lead nowhere.
    var asksOnlyForHiddenValues: Bool {
        !waitsForLink && !inputs.isEmpty && inputs.allSatisfy { $0.type == "HIDDEN" }
            && inputs.contains { $0.required == true } && actions.count < 2
    }
    /// Whether the step's fields are for a passkey, not for a person.
    var isForPasskey: Bool { inputs.contains { $0.name == "clientDataJSON" } }
}

extension FlowInput {
    /// Whether the name is that of a value in a passkey's response.
    package var isOfPasskey: Bool {
        switch name {
        case "credentialId", "clientDataJSON", "authenticatorData", "signature", "userHandle", "attestationObject": true
        default: false
        }
    }
}

extension EmbeddedFlowResponse: CustomStringConvertible, CustomReflectable {
    public var description: String { "EmbeddedFlowResponse(\(flowStatus.rawValue), \(flowId ?? ""))" }
    public var customMirror: Mirror {
        Mirror(self, children: ["flowStatus": flowStatus.rawValue, "inputs": inputs, "actions": actions])
    }
}

/// The inputs, actions and components of a step.
public struct FlowStepData: Sendable {
    public let actions: [FlowAction]?
    public let inputs: [FlowInput]?
    /// The layout of the step by an administrator.
    public let meta: FlowMeta?
    /// Additional values of the step: `message`, `otpLength`, `idpName`, `passkeyChallenge`, `consentPrompt` and
    /// others.
    public let additionalData: [String: AnyCodable]?
    /// The address at which a `REDIRECTION` step continues; ``EmbeddedFlowResponse/redirection`` reads it.
    public let redirectURL: String?
    /// The headings of the step, in the person's language.
    public let headings: [String]
    /// The texts that are neither headings nor labels, in the person's language.
    public let paragraphs: [FlowParagraph]
    /// Texts that the person can pass on, such as an invitation's link.
    public let copyables: [FlowCopyable]

    /// A member of ``additionalData`` that is a text, as all members from the server are.
    package func additional(_ name: String) -> String? { additionalData?[name]?.json.stringValue }
}

/// A text to be copied and passed on.
public struct FlowCopyable: Sendable, Hashable {
    /// The label, in the person's language; `nil` if the server has none.
    public let label: String?
    public let text: String
}

/// A field of a step.
public struct FlowInput: Sendable, Hashable, Identifiable {
    /// The name under which the value is sent.
    public let name: String
    /// The type of value: `TEXT_INPUT`, `PASSWORD_INPUT`, `OTP_INPUT`, `EMAIL_INPUT`, `PHONE_INPUT`, `NUMBER_INPUT`,
    /// `DATE_INPUT`, `BOOLEAN_INPUT`, `SELECT`, `OU_SELECT`, `CONSENT_INPUT`, `HIDDEN`, or an unknown one, which counts
    /// as text.
    public let type: String?
    /// Whether the step requires a value.
    public let required: Bool?
    /// The label beside the field, in the person's language.
    public let label: String?
    /// The placeholder of the empty field.
    public let placeholder: String?
    /// The choices; empty for free text.
    public let options: [String]
    /// Rules for the form of the value.
    public let validation: [FlowValidationRule]
    /// The error in the value that was sent; `nil` if there is none.
    public let problem: String?

    public var id: String { name }
    /// Whether the value must be concealed while it is typed.
    public var isSecret: Bool { isPassword || type == "OTP_INPUT" }
    var isPassword: Bool { type == "PASSWORD_INPUT" }

    public init(
        name: String, type: String? = nil, required: Bool? = nil, label: String? = nil, placeholder: String? = nil,
        options: [String] = [], validation: [FlowValidationRule] = [], problem: String? = nil
    ) {
        self.name = name
        self.type = type
        self.required = required
        self.label = label
        self.placeholder = placeholder
        self.options = options
        self.validation = validation
        self.problem = problem
    }

    /// The error in `value` before it is sent, by the field's options and lengths; `nil` if there is none. The server
    /// checks all rules, including expressions.
    public func problem(with value: String) -> String? {
        if value.isEmpty { return required == true ? "This is needed." : nil }
        if !options.isEmpty, !options.contains(value) { return "This is not among the options." }
        return validation.lazy.compactMap { $0.problem(with: value) }.first
    }
}

/// A rule for the value of a field.
public struct FlowValidationRule: Sendable, Hashable {
    /// The kind of rule. `minLength` and `maxLength` are checked before the value is sent; the server checks all rules.
    public let type: String
    /// The expression or the length.
    public let value: AnyCodable
    /// The message about a value that violates the rule.
    public let message: String

    public init(type: String, value: AnyCodable, message: String) {
        self.type = type
        self.value = value
        self.message = message
    }

    func problem(with text: String) -> String? {
        let isBroken =
            switch (type, value.json) {
            case ("minLength", let length): length.integerValue.map { text.count < $0 } ?? false
            case ("maxLength", let length): length.integerValue.map { text.count > $0 } ?? false
            // Expressions are matched by the server only.
            default: false
            }
        return isBroken ? message : nil
    }
}

/// An action by which a step can be left.
public struct FlowAction: Sendable, Hashable, Identifiable {
    /// Identifier that is sent as the choice.
    public let id: String
    /// The server's reference of the action, usually equal to ``id``.
    public let ref: String?
    /// The next node of the flow.
    public let nextNode: String?
    /// The type, such as `CONFIRM` for a question that only needs a confirmation.
    public let type: String?
    /// The label of the button, in the person's language; `nil` if the server has none.
    public let label: String?
    /// The event type: `SUBMIT` to submit the fields, `TRIGGER` for another sign-in method; `nil` if the server has none.
    public let eventType: String?
    /// The prominence of the button, such as `PRIMARY`; `nil` if the server has none.
    public let variant: String?
    /// The picture of the button: an address or a file name; `nil` for none.
    public let icon: String?

    /// Creates an action.
    public init(
        id: String, ref: String? = nil, nextNode: String? = nil, type: String? = nil, label: String? = nil,
        eventType: String? = nil, variant: String? = nil, icon: String? = nil
    ) {
        self.id = id
        self.ref = ref ?? id
        self.nextNode = nextNode
        self.type = type
        self.label = label
        self.eventType = eventType
        self.variant = variant
        self.icon = icon
    }
}

extension FlowStepData: CustomReflectable {
    /// Shows only the names of the additional data, and no text to pass on.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "inputs": inputs as Any,
                "actions": actions as Any,
                "headings": headings,
                "paragraphs": paragraphs,
                "additionalData": additionalData?.namesAlone as Any,
                "redirectURL": redirectURL?.addressAlone as Any,
            ])
    }
}

extension FlowCopyable: CustomReflectable {
    /// Shows only the label, because the text may be an invitation.
    public var customMirror: Mirror { Mirror(self, showing: ["label": label as Any]) }
}

extension FlowAction: CustomReflectable {
    /// Shows the picture's address without its query.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "id": id, "nextNode": nextNode as Any, "type": type as Any, "label": label as Any,
                "eventType": eventType as Any, "variant": variant as Any, "icon": icon?.addressAlone as Any,
            ])
    }
}
