import IdentityKit

enum FlowPrompt {
    /// Creates the prompt for a step. It shows the error of the step, or else `problem`.
    /// - Parameter hidesPasskey: whether to omit the inputs that a passkey fills in.
    static func prompt(
        for step: EmbeddedFlowResponse, provider: String, after problem: IAMError? = nil, hidesPasskey: Bool = false
    ) -> SignInPrompt {
        var prompt = SignInPrompt(
            provider: provider, problem: step.failureReason ?? problem?.message, message: message(of: step),
            // Hidden inputs get no field, because a person cannot fill them in.
            fields: fields(
                of: step.inputs.filter { $0.type != "HIDDEN" && !(hidesPasskey && $0.isOfPasskey) }, in: step),
            actions: step.actions.enumerated().map { $1.promptAction(isFirst: $0 == 0) })
        prompt.title = step.data?.headings.first.flatMap { $0 == prompt.message ? nil : $0 }
        let paragraphs = step.data?.paragraphs ?? []
        prompt.parts = paragraphs.map(\.text).filter { $0 != prompt.message }.map { SignInPrompt.Part.paragraph($0) }
        prompt.parts += paragraphs.flatMap(\.parts).compactMap { part in
            part.address.map { SignInPrompt.Part.link(part.text, url: $0) }
        }
        prompt.parts += (step.data?.copyables ?? []).map {
            SignInPrompt.Part.textToCopy(Secret($0.text), label: $0.label)
        }
        prompt.parts += (step.consentQuestion?.purposes ?? []).map { purpose in
            SignInPrompt.Part.consent(
                purpose: purpose.description, fields: (purpose.essential + purpose.optional).map(consentField))
        }
        return prompt
    }

    /// Creates a prompt for the link or code in a mail.
    static func linkPrompt(for step: EmbeddedFlowResponse, provider: String, problem: String?) -> SignInPrompt {
        SignInPrompt(
            provider: provider, problem: problem,
            message: "A mail was sent. Enter the link or the code from it; the whole link may be pasted.",
            fields: [.init(identifier: linkField, label: FlowInput.linkOrCodeTitle)])
    }

    /// The name of the field for the link or code in a mail.
    static let linkField = "linkOrCode"

    /// Returns the values for the step's inputs, from the person's answer. For a consent, the value is the JSON text of
    /// the decisions.
    static func inputs(of reply: PromptAnswer, for step: EmbeddedFlowResponse) -> [String: String] {
        var inputs: [String: String] = [:]
        let question = step.consentQuestion
        for input in step.inputs {
            if input.type == "CONSENT_INPUT", let question {
                let agreed = question.elements.filter { reply.values[consentField($0)]?.reveal() == "true" }
                inputs[input.name] = question.decisions(agreeingTo: Set(agreed))
            } else {
                inputs[input.name] = reply.values[input.name]?.reveal()
            }
        }
        return inputs
    }

    private static func message(of step: EmbeddedFlowResponse) -> String? {
        if let message = step.message { return message }
        if let question = step.consentQuestion {
            let purposes = question.purposes.compactMap(\.description)
            return purposes.isEmpty ? nil : purposes.joined(separator: "\n")
        }
        return step.isDisplayOnly ? step.data?.headings.first : nil
    }

    /// Returns the fields of a step, usually one for each input. If the step has a readable request for consent, the first
    /// input for consent gets one field for each requested attribute, and further inputs for consent get none.
    private static func fields(of inputs: [FlowInput], in step: EmbeddedFlowResponse) -> [SignInPrompt.Field] {
        var consent = step.consentQuestion.map(fields(for:))
        return inputs.flatMap { input -> [SignInPrompt.Field] in
            guard input.type == "CONSENT_INPUT", let fields = consent else { return [field(for: input)] }
            consent = []
            return fields
        }
    }

    private static func fields(for question: ConsentQuestion) -> [SignInPrompt.Field] {
        let essential = Set(question.purposes.flatMap(\.essential))
        return question.elements.map { name in
            SignInPrompt.Field(
                identifier: consentField(name), label: name.readable, kind: .boolean,
                isRequired: essential.contains(name))
        }
    }

    private static func field(for input: FlowInput) -> SignInPrompt.Field {
        var field = SignInPrompt.Field(
            identifier: input.name, label: input.title, kind: input.kind,
            isRequired: input.required ?? false, options: input.options, problem: input.problem)
        field.placeholder = input.placeholder
        field.isNew = input.name.lowercased().hasPrefix("new")
        field.rules = input.validation.compactMap(\.promptRule)
        return field
    }

    static func consentField(_ element: String) -> String { "consent." + element }
}

extension ConsentQuestion {
    var elements: [String] { purposes.flatMap { $0.essential + $0.optional } }
}

extension FlowValidationRule {
    /// The rule that a screen can check; `nil` if only the server checks it.
    fileprivate var promptRule: SignInPrompt.Field.Rule? {
        guard let length = value.json.integerValue.flatMap(Int.init(exactly:)), length >= 0 else { return nil }
        return switch type {
        case "minLength": SignInPrompt.Field.Rule(lengths: length...Int.max, message: message)
        case "maxLength": SignInPrompt.Field.Rule(lengths: 0...length, message: message)
        default: nil
        }
    }
}

extension FlowAction {
    /// Returns the button of the action. The button's purpose is the first of these that applies:
    ///
    /// - `resend` or `passkey`, if the action's identifier contains this word.
    /// - `otherWay`, if the action has the event type `TRIGGER`, or has no event type and is not the step's first action.
    /// - `goOn`, which submits the entered values.
    fileprivate func promptAction(isFirst: Bool) -> SignInPrompt.Action {
        let word = id.lowercased()
        var purpose = SignInPrompt.Action.Purpose.goOn
        if word.contains("resend") {
            purpose = .resend
        } else if word.contains("passkey") {
            purpose = .passkey
        } else if isTrigger || (eventType == nil && !isFirst) {
            purpose = .otherWay
        }
        let rank: SignInPrompt.Action.Rank? =
            switch variant {
            case "PRIMARY": .primary
            case "TEXT", "LINK": .quiet
            case nil: nil
            default: .secondary
            }
        return SignInPrompt.Action(identifier: id, label: title, rank: rank, purpose: purpose)
    }
}
