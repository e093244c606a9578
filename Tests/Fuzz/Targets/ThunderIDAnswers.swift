import Foundation
import IdentityKit

@testable import ThunderID

/// ThunderID's answers; see ``HTTPAnswer``. The question names the call.
struct ThunderIDAnswers: Sendable {
    private let english: FlowTexts
    private let german: FlowTexts
    private let decoder = JSONDecoder()
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() {
        func texts(_ language: String) -> FlowTexts {
            FlowTexts(document: [
                "application": ["name": "Example"],
                "i18n": [
                    "language": .string(language),
                    "translations": ["signin": ["title": "Title", "forms.credentials.username.label": "Name"]],
                ],
            ])
        }
        english = texts("en-US")
        german = texts("de")
    }

    @Sendable func read(_ input: FuzzInput) {
        guard let answer = HTTPAnswer(input) else { return }
        let reader = FuzzInput.choose(
            answer.question,
            from: [
                ("flow", readFlow), ("german", readGermanFlow), ("texts", readTexts), ("user", readUser),
                ("tokens", readTokens),
                ("assertion", readAssertion), ("redirect", readRedirect), ("passkey", readPasskey),
                ("consent", readConsent), ("template", readTemplate),
            ])
        do {
            guard answer.response.statusCode == 200 else {
                throw ServerAPI.failure(answer.body, answer.response)
            }
            try reader(answer.body)
        } catch {
            error.tell()
        }
    }

    private func readFlow(_ body: Data) throws {
        try readFlow(body, with: english)
    }

    private func readGermanFlow(_ body: Data) throws {
        try readFlow(body, with: german)
    }

    private func readFlow(_ body: Data, with texts: FlowTexts) throws {
        let answer = try decoder.decode(FlowResponse.self, from: body)
        try examine(EmbeddedFlowResponse(answer, texts: texts))
        _ = FlowLayout.hasTemplates(answer.data.meta)
        answer.error?.iamError.tell()
    }

    private func examine(_ step: EmbeddedFlowResponse) throws {
        let prompt = FlowPrompt.prompt(for: step, provider: "work")
        rule(Set(step.inputs.map(\.name)).count == step.inputs.count, "a value would be asked for twice")
        for input in step.inputs where input.isSecret {
            // A question for consent has fields of its own, whatever the inputs are called.
            rule(
                prompt.fields.allSatisfy { $0.identifier != input.name || $0.kind.isSecret || $0.kind == .boolean },
                "a secret would be shown")
        }
        _ = (step.waitsForLink, step.asksOnlyForHiddenValues, step.stepExpiresAt, step.redirection?.callbackURI)
        for input in step.inputs { _ = (input.problem(with: "alice"), input.problem(with: ""), input.title) }
        if let format = step.oneTimeCode { _ = format.length }
        if let question = step.consentQuestion { _ = question.decisions(agreeingTo: Set(question.elements.prefix(1))) }
        _ = try? step.payload(forLinkOrCode: "https://id.example.com/invite?executionId=1&inviteToken=2")
        _ = try? step.passkeyRequest
        _ = try? step.passkeyCreation
    }

    private func readTexts(_ body: Data) throws {
        let texts = FlowTexts(document: try decoder.decode([String: JSONValue].self, from: body))
        _ = (texts.languages, texts.isRegistrationFlowEnabled, texts.isRecoveryFlowEnabled)
        _ = texts.resolve("{{ t(signin:title) }} at {{meta(application.name)}}")
        _ = texts.text(forErrorKey: "flows.executor.errors.invalid_credentials")
    }

    /// A label of an administrator.
    private func readTemplate(_ body: Data) throws {
        if let text = english.resolve(String(decoding: body, as: UTF8.self)) {
            rule(!text.isEmpty, "an empty label is shown")
        }
    }

    private func readUser(_ body: Data) throws {
        let members = try decoder.decode([String: JSONValue].self, from: body)
        let user = User(sub: "alice", claims: members)
        _ = (user.displayName, user.email, user.profilePicture)
        _ = AccountProfile(attributes: members)?.namesPerson
    }

    private func readTokens(_ body: Data) throws {
        _ = try decoder.decode(TokenResponse.self, from: body)
    }

    private func readAssertion(_ body: Data) throws {
        let assertion = Secret(String(decoding: body, as: UTF8.self))
        let credential = try Credential(assertion: assertion, backend: "https://id.example.com", at: now)
        rule(credential.subject?.isEmpty == false, "a session of nobody")
    }

    private func readRedirect(_ body: Data) throws {
        let answer = try decoder.decode(FlowAPI.RedirectResponse.self, from: body)
        _ = URL(string: answer.redirectURI)
    }

    private func readPasskey(_ body: Data) throws {
        let text = String(decoding: body, as: UTF8.self)
        if let request = try? PasskeyRequest(text) {
            rule(!request.challenge.isEmpty && !request.relyingPartyID.isEmpty, "a question without a challenge")
        }
        _ = try PasskeyCreation(text).algorithms
    }

    private func readConsent(_ body: Data) throws {
        guard let question = ConsentQuestion(String(decoding: body, as: UTF8.self)) else { return }
        let refusal = question.decisions(agreeingTo: [])
        if question.purposes.contains(where: { !$0.essential.isEmpty }) {
            rule(refusal.hasPrefix(#"{"approved":false"#), "a refusal agrees")
        }
    }
}
