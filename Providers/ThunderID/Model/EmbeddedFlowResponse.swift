import Foundation
import IdentityKit

/// The state of a flow after a response: whether it waits for a submission, has ended, or has failed.
public enum FlowStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// The flow waits for the next submission: show ``EmbeddedFlowResponse/inputs`` and
    /// ``EmbeddedFlowResponse/actions``, or open ``EmbeddedFlowResponse/redirection``.
    case promptOnly = "INCOMPLETE"
    /// The flow has ended. ``EmbeddedFlowResponse/establishesSession`` shows whether the person is signed in.
    case complete = "COMPLETE"
    /// The flow has failed with ``EmbeddedFlowResponse/error``, and the person must start again. Exception: after
    /// `invitationCodeInvalid` or `confirmationCodeInvalid`, a step that waits for a mailed link or code still accepts
    /// the right link or code.
    case error = "ERROR"
}

/// The next step of a flow, or its end.
public struct EmbeddedFlowResponse: Sendable {
    /// Identifier of the flow, to be sent with the next ``EmbeddedSignInPayload``.
    public let flowId: String?
    /// Whether the flow waits for a submission, has ended, or has failed.
    public let flowStatus: FlowStatus
    /// Always `nil`, because the server sends no identifier of a step.
    public var stepId: String? { nil }
    /// `VIEW` for a step that the app shows, `REDIRECTION` for a step that continues in a browser; `nil` if the server
    /// sends no type, as at the end of a flow.
    public let type: String?
    /// The content of the step: its inputs, actions, texts, and the server's additional values.
    public let data: FlowStepData?
    /// The assertion of a finished flow: a bearer token for ThunderID's own APIs, valid for an hour, but not an OAuth
    /// access token. The value is `nil` before the end of the flow, and after a flow that signs nobody in.
    public let assertion: String?
    /// The token that the next submission must contain. The client adds it.
    public let challengeToken: String?
    /// Whether the flow signed the person in. Registration, recovery and sign-out usually end without a session.
    public let establishesSession: Bool
    /// The error of the previous submission, such as a wrong password, or the reason why the flow failed; `nil` if there
    /// is none.
    public let error: IAMError?
    /// The server's response, from which the client translates the step again; `nil` for a step that a test made
    /// without a response.
    var origin: Origin?

    /// The message of ``error``, to show to the person; `nil` without an error.
    public var failureReason: String? { error?.message }
    /// The fields of the step; empty if there are none. Do not show fields of the type `HIDDEN` and fields for a
    /// passkey.
    public var inputs: [FlowInput] { data?.inputs ?? [] }
    /// The buttons to show; the first is the default.
    public var actions: [FlowAction] { data?.actions ?? [] }
    /// The server's text to show above the fields; `nil` if there is none.
    public var message: String? { data?.additional("message") }
    /// Whether the step shows only texts and requests no value. Continue it with a payload that contains only
    /// ``flowId``.
    public var isDisplayOnly: Bool {
        flowStatus == .promptOnly && inputs.isEmpty && actions.isEmpty && redirection == nil
    }
    /// Whether the step waits for a value from a mailed link: continue with ``FlowLink/payload``, or with
    /// ``payload(forLinkOrCode:)`` for a pasted or typed text.
    public var waitsForLink: Bool {
        flowStatus == .promptOnly && !inputs.isEmpty && actions.isEmpty
            && inputs.allSatisfy { $0.type == "HIDDEN" && $0.name.lowercased().hasSuffix("token") }
    }
    /// Whether the step has only hidden inputs, at least one of them required, and at most one action. A person cannot
    /// complete such a step. A step that waits for a mailed link does not count.
    var asksOnlyForHiddenValues: Bool {
        !waitsForLink && !inputs.isEmpty && inputs.allSatisfy { $0.type == "HIDDEN" }
            && inputs.contains { $0.required == true } && actions.count < 2
    }
    /// Whether the step has inputs for the response of a passkey. The step may have fields for the person, too.
    var isForPasskey: Bool { inputs.contains { $0.name == "clientDataJSON" } }
}

extension FlowInput {
    /// Whether the input takes a value from the response of a passkey, judged by its name.
    package var isOfPasskey: Bool {
        switch name {
        case "credentialId", "clientDataJSON", "authenticatorData", "signature", "userHandle", "attestationObject": true
        default: false
        }
    }
}

extension EmbeddedFlowResponse: CustomStringConvertible, Reticent {
    public var description: String { "EmbeddedFlowResponse(\(flowStatus.rawValue), \(flowId ?? ""))" }
    package var shown: KeyValuePairs<String, Any> {
        ["flowStatus": flowStatus.rawValue, "inputs": inputs, "actions": actions]
    }
}

/// The inputs, actions and components of a step.
public struct FlowStepData: Sendable {
    public let actions: [FlowAction]?
    public let inputs: [FlowInput]?
    /// The layout of the step, designed by an administrator; `nil` if the server sends none.
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

    /// Returns a member of ``additionalData``; `nil` if it is missing or not a string. The server sends all members as
    /// strings.
    package func additional(_ name: String) -> String? { additionalData?[name]?.json.stringValue }
}

/// A text for the person to copy, such as an invitation's link.
public struct FlowCopyable: Sendable, Hashable {
    /// The label, in the person's language; `nil` if the server has none.
    public let label: String?
    public let text: String
}

/// A value that a step requests, in a visible or hidden field.
public struct FlowInput: Sendable, Hashable, Identifiable {
    /// The name under which the value is sent.
    public let name: String
    /// The type of value: `TEXT_INPUT`, `PASSWORD_INPUT`, `OTP_INPUT`, `EMAIL_INPUT`, `PHONE_INPUT`, `NUMBER_INPUT`,
    /// `DATE_INPUT`, `BOOLEAN_INPUT`, `SELECT`, `OU_SELECT`, `CONSENT_INPUT`, or `HIDDEN`. Another type and `nil` count
    /// as text.
    public let type: String?
    /// Whether the step requires a value; `nil` counts as `false`.
    public let required: Bool?
    /// The label beside the field, in the person's language; `nil` if the server has none.
    public let label: String?
    /// The text to show in the empty field, in the person's language; `nil` if the server has none.
    public let placeholder: String?
    /// The choices; empty for free text.
    public let options: [String]
    /// The server's rules for the value. ``problem(with:)`` checks only those about its length.
    public let validation: [FlowValidationRule]
    /// The message about the value that the server refused; `nil` if there is none.
    public let problem: String?

    public var id: String { name }
    /// Whether the value is a password or a one-time code, which is forgotten after the step. A form hides a password while
    /// it is typed, but not a code, which the system can fill in.
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

    /// Returns a message if `value` is empty although it is required, is not among the options, or violates a rule
    /// about its length; otherwise `nil`. Only the server checks the other rules, such as regular expressions.
    public func problem(with value: String) -> String? {
        if value.isEmpty { return required == true ? "This is needed." : nil }
        if !options.isEmpty, !options.contains(value) { return "This is not among the options." }
        return validation.lazy.compactMap { $0.problem(with: value) }.first
    }
}

/// A rule that the server applies to the value of a field, such as a minimum length.
public struct FlowValidationRule: Sendable, Hashable {
    /// The kind of rule, such as `minLength`, `maxLength` or `regex`. ``FlowInput/problem(with:)`` checks the lengths;
    /// the server checks all rules.
    public let type: String
    /// The limit of a length rule, as a number of characters, or the regular expression.
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
            // Only the server matches regular expressions and checks other kinds of rules.
            default: false
            }
        return isBroken ? message : nil
    }
}

/// A choice that continues a step, usually shown as a button.
public struct FlowAction: Sendable, Hashable, Identifiable {
    /// Identifier of the choice, sent as ``EmbeddedSignInPayload/actionId``.
    public let id: String
    /// The server's reference of the action, usually equal to ``id``.
    public let ref: String?
    /// Identifier of the node that the server runs after this choice, from the definition of the flow.
    public let nextNode: String?
    /// The type, such as `CONFIRM` for a question that needs only a confirmation; `nil` if the server has none.
    public let type: String?
    /// The label of the button, in the person's language; `nil` if the server has none.
    public let label: String?
    /// The event type: `SUBMIT` to submit the fields, `TRIGGER` for another sign-in method; `nil` if the server has none.
    public let eventType: String?
    /// The prominence of the button, such as `PRIMARY`; `nil` if the server has none.
    public let variant: String?
    /// The picture of the button: an address or a file name; `nil` for none.
    public let icon: String?

    /// Creates an action. Without the argument `ref`, the property ``ref`` equals `id`.
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

extension FlowStepData: Reticent {
    /// Shows only the names of the additional data, and no queries of addresses. Omits the layout and the texts to copy.
    package var shown: KeyValuePairs<String, Any> {
        [
            "inputs": inputs as Any,
            "actions": actions as Any,
            "headings": headings,
            "paragraphs": paragraphs,
            "additionalData": additionalData?.namesAlone as Any,
            "redirectURL": redirectURL?.addressAlone as Any,
        ]
    }
}

extension FlowCopyable: Reticent {
    /// Shows only the label, because the text may be an invitation.
    package var shown: KeyValuePairs<String, Any> { ["label": label as Any] }
}

extension FlowAction: Reticent {
    /// Shows the picture's address without its query.
    package var shown: KeyValuePairs<String, Any> {
        [
            "id": id, "nextNode": nextNode as Any, "type": type as Any, "label": label as Any,
            "eventType": eventType as Any, "variant": variant as Any, "icon": icon?.addressAlone as Any,
        ]
    }
}
