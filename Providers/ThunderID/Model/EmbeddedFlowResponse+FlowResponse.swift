import Foundation
import IdentityKit

extension EmbeddedFlowResponse {
    /// Creates a step from the server's response, in the person's language.
    /// - Parameters:
    ///   - applicationID: the application to which the texts belong.
    ///   - concernsPassword: whether the latest submission may have contained a password.
    ///   - sentFields: the labels of the fields in the latest submission.
    ///   - isOfAuthorization: whether the flow belongs to an authorization request, so that a wrong mailed code ends it.
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
        // An assertion means a session, whatever the flow's purpose.
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

    /// The response from which a step was made, kept to translate it again.
    struct Origin: Sendable {
        let response: FlowResponse
        let applicationID: String?
        let concernsPassword: Bool
        let sentFields: [String]
        let isOfAuthorization: Bool
    }
}

extension IAMError {
    /// The error for a wrong mailed code that has ended the flow, so that the right one no longer helps.
    static let endedByLink = IAMError(
        .invitationCodeExpired,
        "The link or code was wrong, and the server has ended this request. Begin again, and use the newest mail.")
}

extension FlowResponse {
    /// Whether the only error is that the browser has no session. A flow that looks for one reports this with its first
    /// prompt, although nothing went wrong.
    fileprivate var saysOnlyThatNoSessionExists: Bool { flowStatus == .promptOnly && error?.code == "FET-1081" }
}

extension FlowStepData {
    /// - Parameter isRedirection: whether the step continues in a browser.
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
    /// The fields, at most one per name, because only one value is sent: the first one, unless a later one marks the
    /// value as secret.
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
    /// The message of a rule. Without one, the server sends the key of a translation, which is not shown to people.
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
