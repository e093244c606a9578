import Foundation
import IdentityKit

/// Drives a sign-in flow with a prompter: shows what the server asks for, submits the answers, until there is an
/// assertion.
struct FlowSignIn: Sendable {
    let api: FlowAPI
    let prompter: any FlowPrompter
    let providerName: String

    /// Goes on from `answer` to the end of the flow.
    /// - Returns: the assertion.
    /// - Throws: ``IAMError``, or what the prompter throws when the user gives up.
    func finish(_ answer: FlowAnswer) async throws -> Secret {
        var answer = answer
        while answer.flowStatus == .incomplete {
            guard answer.type != .redirection else {
                throw IAMError(.mfaRequired, "This sign-in continues in a browser. Use the redirect sign-in.")
            }
            let reply = try await prompter.answer(FlowPrompt.prompt(for: answer, provider: providerName))
            answer = try await api.submit(
                after: answer, inputs: inputs(of: reply, for: answer), action: try action(of: reply, for: answer))
        }
        guard answer.flowStatus == .complete else {
            throw answer.error?.iamError ?? IAMError(.unknownError, "The sign-in was ended by the server.")
        }
        guard let assertion = answer.assertion else {
            throw IAMError(.authenticationFailed, "The flow ended without signing anybody in. Sign in again.")
        }
        return assertion
    }

    /// Only what this step asked for: a password typed in an earlier step is nobody's business in a later one.
    private func inputs(of reply: PromptAnswer, for answer: FlowAnswer) -> [String: Secret] {
        let asked = Set((answer.data.inputs ?? []).map(\.identifier))
        return reply.values.filter { asked.contains($0.key) }
    }

    /// The chosen action, or the usual one. One that was not offered is never replaced by another: that could turn a
    /// refusal into a consent.
    private func action(of reply: PromptAnswer, for answer: FlowAnswer) throws -> String? {
        let refs = (answer.data.actions ?? []).compactMap(\.ref)
        guard let chosen = reply.action else { return refs.first }
        guard refs.contains(chosen) else {
            throw IAMError(
                .invalidInput, "The action \"\(chosen)\" was not offered. Choose one of the prompt's actions.")
        }
        return chosen
    }
}

/// The prompt a step of a flow stands for.
enum FlowPrompt {
    /// Describes the step that `answer` asks for.
    static func prompt(for answer: FlowAnswer, provider: String) -> SignInPrompt {
        SignInPrompt(
            provider: provider,
            problem: answer.error?.iamError.message,
            message: answer.data.additionalData?["message"],
            fields: (answer.data.inputs ?? []).map { field($0, in: answer) },
            actions: (answer.data.actions ?? []).compactMap { action in
                action.ref.map { SignInPrompt.Action(identifier: $0, label: actionLabel($0)) }
            })
    }

    private static func field(_ input: FlowAnswer.Input, in answer: FlowAnswer) -> SignInPrompt.Field {
        SignInPrompt.Field(
            identifier: input.identifier, label: readable(input.identifier),
            kind: kind(of: input), isRequired: input.required ?? false, options: input.options ?? [],
            problem: answer.data.fieldErrors?.first { $0.identifier == input.identifier }.map(problem))
    }

    /// What is wrong with a value. A rule without a text of its own answers with the name of a translation (ThunderID flow
    /// execution, validation), which says nothing to anybody.
    private static func problem(_ error: FlowAnswer.FieldError) -> String {
        switch error.message {
        case "validation.minLength.invalid": "This is too short."
        case "validation.maxLength.invalid": "This is too long."
        case "validation.pattern.invalid", nil: "This does not have the expected form."
        case let text?: text
        }
    }

    /// The kind of an input (ThunderID flow execution, input types). Unknown types are text.
    private static func kind(of input: FlowAnswer.Input) -> SignInPrompt.Field.Kind {
        switch input.type {
        case "PASSWORD_INPUT": .password
        case "OTP_INPUT": .oneTimeCode
        case "EMAIL_INPUT": .email
        case "PHONE_INPUT": .phone
        case "NUMBER_INPUT": .number
        case "DATE_INPUT": .date
        case "BOOLEAN_INPUT": .boolean
        case "SELECT", "OU_SELECT": .choice
        default: input.identifier == "username" ? .username : .text
        }
    }

    /// `given_name` as `Given name`.
    private static func readable(_ identifier: String) -> String {
        let words = identifier.replacingOccurrences(of: "_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// `action_forgot_password` as `Forgot password`; a bare number says nothing to anybody.
    private static func actionLabel(_ ref: String) -> String {
        let name = ref.hasPrefix("action_") ? String(ref.dropFirst("action_".count)) : ref
        return name.allSatisfy(\.isNumber) ? "Continue" : readable(name)
    }
}
