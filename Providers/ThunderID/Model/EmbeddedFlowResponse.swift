import Foundation
import IdentityKit

/// How far a flow is.
public enum FlowStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// The flow waits for the person: show ``EmbeddedFlowResponse/inputs`` and ``EmbeddedFlowResponse/actions``.
    case promptOnly = "INCOMPLETE"
    /// The flow is over. ``EmbeddedFlowResponse/establishesSession`` says whether the person is signed in.
    case complete = "COMPLETE"
    /// The flow cannot continue: ``EmbeddedFlowResponse/error`` says why. Start again.
    case error = "ERROR"
}

/// The next step of a flow, or its end.
public struct EmbeddedFlowResponse: Sendable {
    /// The flow; give it back with the next ``EmbeddedSignInPayload``.
    public let flowId: String?
    /// How far the flow is.
    public let flowStatus: FlowStatus
    /// No server names its steps; always `nil`.
    public var stepId: String? { nil }
    /// `VIEW` for a step that the app shows, `REDIRECTION` for one that continues in a browser.
    public let type: String?
    /// The inputs and actions of the step.
    public let data: FlowStepData?
    /// The proof of a finished flow. It is a bearer of an hour at ThunderID's own APIs, and no OAuth access token.
    public let assertion: String?
    /// The proof of having seen the step. The client remembers it.
    public let challengeToken: String?
    /// Whether the flow signed the person in. Registration, recovery and sign-out end without a session, as a rule.
    public let establishesSession: Bool
    /// The error of the step before: a wrong password on a step that asks again, or why the flow cannot continue.
    public let error: IAMError?
    /// The server's response, to localize it again; `nil` for one that was made by hand.
    var origin: Origin?

    /// The error in words for the person.
    public var failureReason: String? { error?.message }
    /// The fields to show.
    public var inputs: [FlowInput] { data?.inputs ?? [] }
    /// The buttons to show; the first is the usual one.
    public var actions: [FlowAction] { data?.actions ?? [] }
    /// The text to show above them.
    public var message: String? { data?.additional("message") }
    /// Whether the step only shows something: continue with a payload that has the flow and nothing else.
    public var isDisplayOnly: Bool {
        flowStatus == .promptOnly && inputs.isEmpty && actions.isEmpty && redirection == nil
    }
    /// Whether the step waits for what only a mailed link brings: continue with ``FlowLink/payload``, or with
    /// ``payload(forLinkOrCode:)`` for what a person pasted or typed.
    public var waitsForLink: Bool {
        flowStatus == .promptOnly && !inputs.isEmpty && actions.isEmpty
            && inputs.allSatisfy { $0.type == "HIDDEN" && $0.name.lowercased().hasSuffix("token") }
    }
    /// Whether the step asks for what no person can type, and has no other action: it would be shown without end.
    var asksOnlyForHiddenValues: Bool {
        !waitsForLink && !inputs.isEmpty && inputs.allSatisfy { $0.type == "HIDDEN" }
            && inputs.contains { $0.required == true } && actions.count < 2
    }
    /// Whether the step's fields are for a passkey, not for a person.
    var isForPasskey: Bool { inputs.contains { $0.name == "clientDataJSON" } }
}

extension FlowInput {
    /// Whether a passkey's response is sent under the name.
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
    /// How an administrator laid the step out.
    public let meta: FlowMeta?
    /// Additional values of the step: `message`, `otpLength`, `idpName`, `passkeyChallenge`, `consentPrompt` and
    /// others.
    public let additionalData: [String: AnyCodable]?
    /// The address at which a `REDIRECTION` step continues; ``EmbeddedFlowResponse/redirection`` reads it.
    public let redirectURL: String?
    /// The headings of the step, in the person's language.
    public let headings: [String]
    /// The texts that stand by themselves, in the person's language.
    public let paragraphs: [FlowParagraph]
    /// Texts that the person may pass on, such as an invitation's link.
    public let copyables: [FlowCopyable]

    /// A member of ``additionalData`` that is a text, as all of the server's are.
    package func additional(_ name: String) -> String? { additionalData?[name]?.json.stringValue }
}

/// A text to copy and pass on.
public struct FlowCopyable: Sendable, Hashable {
    /// The label, in the person's language; `nil` when the server names nothing.
    public let label: String?
    public let text: String
}

/// A field of a step.
public struct FlowInput: Sendable, Hashable, Identifiable {
    /// The name the value is sent under.
    public let name: String
    /// The type of value: `TEXT_INPUT`, `PASSWORD_INPUT`, `OTP_INPUT`, `EMAIL_INPUT`, `PHONE_INPUT`, `NUMBER_INPUT`,
    /// `DATE_INPUT`, `BOOLEAN_INPUT`, `SELECT`, `OU_SELECT`, `CONSENT_INPUT`, `HIDDEN`, or another one, which is text.
    public let type: String?
    /// Whether the step fails without it.
    public let required: Bool?
    /// The label beside the field, in the person's language.
    public let label: String?
    /// The text to show while it is empty.
    public let placeholder: String?
    /// The choices; empty for free text.
    public let options: [String]
    /// Rules for the form of the value.
    public let validation: [FlowValidationRule]
    /// The mistake in the value that was sent.
    public let problem: String?

    public var id: String { name }
    /// Whether the value must not be shown while it is typed.
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

    /// The mistake in `value` before it is sent, by the field's options and lengths; `nil` when nothing is. The server
    /// checks again, and matches expressions.
    public func problem(with value: String) -> String? {
        if value.isEmpty { return required == true ? "This is needed." : nil }
        if !options.isEmpty, !options.contains(value) { return "This is not among the options." }
        return validation.lazy.compactMap { $0.problem(with: value) }.first
    }
}

/// A rule for the value of a field.
public struct FlowValidationRule: Sendable, Hashable {
    /// `minLength` and `maxLength` are checked before the value is sent; the server checks those and all others.
    public let type: String
    /// The expression or the length.
    public let value: AnyCodable
    /// The message when the value breaks the rule.
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
            // Expressions are the server's to match.
            default: false
            }
        return isBroken ? message : nil
    }
}

/// A way on from a step.
public struct FlowAction: Sendable, Hashable, Identifiable {
    /// The value that is sent as the choice.
    public let id: String
    /// The server's name of the choice, the same as a rule.
    public let ref: String?
    /// The flow's node behind it.
    public let nextNode: String?
    /// `CONFIRM` for a question that only needs a yes.
    public let type: String?
    /// The label on the button, in the person's language; `nil` when the server names nothing.
    public let label: String?
    /// `SUBMIT` for the way on with what was typed, `TRIGGER` for another way to sign in; `nil` when the server says nothing.
    public let eventType: String?
    /// How prominent its button is, such as `PRIMARY`; `nil` when the server says nothing.
    public let variant: String?
    /// The picture on it: an address, or a file's name; `nil` without one.
    public let icon: String?

    /// Describes a way on.
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
    /// Shows the names of the additional data alone, and not what may be passed on.
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
    /// Shows what it is alone: it may be an invitation.
    public var customMirror: Mirror { Mirror(self, showing: ["label": label as Any]) }
}

extension FlowAction: CustomReflectable {
    /// Shows of the picture's address no query.
    public var customMirror: Mirror {
        Mirror(
            self,
            showing: [
                "id": id, "nextNode": nextNode as Any, "type": type as Any, "label": label as Any,
                "eventType": eventType as Any, "variant": variant as Any, "icon": icon?.addressAlone as Any,
            ])
    }
}
