import IdentityKit

enum FlowPrompt {
    static func prompt(
        for step: EmbeddedFlowResponse, provider: String, after problem: IAMError? = nil
    ) -> SignInPrompt {
        SignInPrompt(
            provider: provider, problem: step.failureReason ?? problem?.message, message: message(of: step),
            // Hidden fields are not shown, so a person cannot fill them in.
            fields: fields(of: step),
            actions: step.actions.map {
                SignInPrompt.Action(identifier: $0.id, label: $0.title)
            })
    }

    /// Asks for what a mail brings.
    static func linkPrompt(for step: EmbeddedFlowResponse, provider: String, problem: String?) -> SignInPrompt {
        SignInPrompt(
            provider: provider, problem: problem,
            message: "A mail was sent. Enter the link or the code from it; the whole link may be pasted.",
            fields: [.init(identifier: linkField, label: FlowInput.linkOrCodeTitle)])
    }

    /// The name of the field that asks for what a mail brings.
    static let linkField = "linkOrCode"

    /// What the step asked for, from what the person entered.
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

    /// The fields of a step. What a person agrees to is asked once, however many inputs ask for it.
    private static func fields(of step: EmbeddedFlowResponse) -> [SignInPrompt.Field] {
        var consent = step.consentQuestion.map(fields(for:))
        return step.inputs.filter { $0.type != "HIDDEN" }.flatMap { input -> [SignInPrompt.Field] in
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
        SignInPrompt.Field(
            identifier: input.name, label: input.title, kind: input.kind,
            isRequired: input.required ?? false, options: input.options, problem: input.problem)
    }

    static func consentField(_ element: String) -> String { "consent." + element }
}

extension ConsentQuestion {
    var elements: [String] { purposes.flatMap { $0.essential + $0.optional } }
}
