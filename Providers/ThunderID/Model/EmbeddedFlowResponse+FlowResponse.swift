import Foundation
import IdentityKit

extension EmbeddedFlowResponse {
    /// Creates a step from the server's response, in the language of `texts`.
    /// - Parameters:
    ///   - texts: the translations and messages of the application.
    ///   - applicationID: the application to which `texts` belong, for a later translation of the step.
    ///   - concernsPassword: whether the latest submission may have contained a password. If it did not, an error message
    ///     mentions passwords only if `response` asks for one.
    ///   - sentFields: the labels of the fields in the latest submission, for messages that list them.
    ///   - isOfAuthorization: whether the flow belongs to an authorization request. The server ends such a flow after a
    ///     wrong mailed code.
    init(
        _ response: FlowResponse, texts: FlowTexts, applicationID: String? = nil, concernsPassword: Bool = true,
        sentFields: [String] = [], isOfAuthorization: Bool = false
    ) {
        origin = Origin(
            response: response, applicationID: applicationID, concernsPassword: concernsPassword,
            sentFields: sentFields, isOfAuthorization: isOfAuthorization)
        flowId = response.executionId
        flowStatus = response.flowStatus
        type = response.type
        assertion = response.assertion?.reveal()
        challengeToken = response.challengeToken?.reveal()
        // A finished flow of any type signs the person in if it returns an assertion.
        establishesSession = response.flowStatus == .complete && response.assertion != nil
        let refusal =
            response.saysOnlyThatNoSessionExists
            ? nil
            : response.error?.iamError(
                in: texts, concernsPassword: concernsPassword || response.asksForPassword, sentFields: sentFields)
        let isEndedByLink = isOfAuthorization && flowStatus == .error && refusal?.code == .invitationCodeInvalid
        error = isEndedByLink ? .endedByLink : refusal
        data = FlowStepData(response.data, isRedirection: response.type == "REDIRECTION", texts: texts)
    }

    /// The response and the arguments from which a step was made, stored to create the step again in another language.
    struct Origin: Sendable {
        let response: FlowResponse
        let applicationID: String?
        let concernsPassword: Bool
        let sentFields: [String]
        let isOfAuthorization: Bool
    }
}

extension IAMError {
    /// The error for a wrong mailed code after which the server has ended the flow. The right code no longer helps.
    static let endedByLink = IAMError(
        .invitationCodeExpired,
        "The link or code was wrong, and the server has ended this request. Begin again, and use the newest mail.")
}

extension FlowResponse {
    /// Whether the error reports only that there is no session at the server (`FET-1081`). A flow that first looks for
    /// a session sends this error with its first prompt, although nothing went wrong.
    fileprivate var saysOnlyThatNoSessionExists: Bool { flowStatus == .promptOnly && error?.code == "FET-1081" }
}

extension FlowStepData {
    /// - Parameter isRedirection: whether the step continues in a browser. Otherwise the `redirectURL` of `data` is
    ///   ignored.
    init(_ data: FlowResponse.StepData, isRedirection: Bool, texts: FlowTexts) {
        let layout = FlowLayout(data.meta, texts: texts)
        let problems = Dictionary((data.fieldErrors ?? []).map { ($0.identifier, $0) }) { first, _ in first }
        self.init(
            actions: data.actions.map { _ in data.choices.map { FlowAction($0, layout) } },
            inputs: data.inputs?.map { FlowInput($0, layout, texts, problem: problems[$0.identifier]) }
                .withoutRepetition,
            meta: layout.meta, additionalData: data.additionalData?.mapValues(AnyCodable.init(json:)),
            redirectURL: isRedirection ? data.redirectURL : nil, headings: layout.headings,
            paragraphs: layout.paragraphs,
            copyables: layout.copyables(from: (data.additionalData ?? [:]).compactMapValues(\.stringValue)))
    }
}

extension FlowInput {
    fileprivate init(
        _ input: FlowResponse.Input, _ layout: FlowLayout, _ texts: FlowTexts, problem: FlowResponse.FieldError?
    ) {
        self.init(
            name: input.identifier, type: input.type, required: input.required,
            label: layout.label(ofInput: input.identifier),
            placeholder: layout.placeholder(ofInput: input.identifier), options: input.options ?? [],
            validation: (input.validation ?? []).map { rule in
                FlowValidationRule(
                    type: rule.type, value: AnyCodable(json: rule.value ?? .null),
                    message: ValidationText.message(rule.message, rule: rule.type, in: texts))
            },
            problem: problem.map { ValidationText.message($0.message, rule: nil, in: texts) })
    }
}

extension [FlowInput] {
    /// The fields without repeated names, because only one value per name is sent. Of several fields with the same
    /// name, the first secret field stays, or else the first field.
    fileprivate var withoutRepetition: [FlowInput] {
        var fields: [FlowInput] = []
        var positions: [String: Int] = [:]
        for field in self {
            if let position = positions[field.name] {
                if field.isSecret, !fields[position].isSecret { fields[position] = field }
            } else {
                positions[field.name] = fields.count
                fields.append(field)
            }
        }
        return fields
    }
}

extension FlowAction {
    fileprivate init(_ action: FlowResponse.Action, _ layout: FlowLayout) {
        let ref = action.ref ?? ""
        self.init(
            id: ref, nextNode: action.nextNode, type: action.type, label: layout.label(ofAction: ref),
            eventType: layout.eventType(ofAction: ref), variant: layout.variant(ofAction: ref),
            icon: layout.icon(ofAction: ref))
    }
}

/// Messages about values that violate a rule.
enum ValidationText {
    /// Returns the message about a value that violates a rule.
    /// - Parameters:
    ///   - message: the server's text, a template, or the key of a translation. `nil` stands for the usual key of
    ///     `rule`.
    ///   - rule: the type of the rule; `nil` if it is unknown.
    ///   - texts: the translations.
    /// - Returns: the filled template, or the translation of the key. A template that cannot be filled, an empty text, and the
    ///   usual key of a rule without a translation give an English sentence of this library. Any other text or key is returned
    ///   unchanged.
    static func message(_ message: String?, rule: String?, in texts: FlowTexts) -> String {
        let key = message ?? rule.map { "validation.\($0 == "regex" ? "pattern" : $0).invalid" } ?? ""
        if key.contains("{{") { return texts.resolve(key) ?? form }
        if let text = texts.text(forErrorKey: key) { return text }
        switch key {
        case "validation.minLength.invalid": return "This is too short."
        case "validation.maxLength.invalid": return "This is too long."
        case "validation.pattern.invalid", "": return form
        default: return key
        }
    }

    private static let form = "This does not have the expected form."
}
