import Foundation
import IdentityKit

/// Asks the questions of a sign-in at a terminal, and shows everything that comes with them.
public struct TerminalPrompter: FlowPrompter {
    let terminal: Terminal

    public init(_ terminal: Terminal) { self.terminal = terminal }

    public func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        for line in prompt.lines { terminal.show(line) }
        let action = try await choose(among: prompt.actions)
        // Only the way on needs answers.
        guard action?.purpose ?? .goOn == .goOn else { return PromptAnswer(values: [:], action: action?.identifier) }
        var values: [String: Secret] = [:]
        for field in prompt.fields { values[field.identifier] = try await value(of: field) }
        return PromptAnswer(values: values, action: action?.identifier)
    }

    private func choose(among actions: [SignInPrompt.Action]) async throws -> SignInPrompt.Action? {
        guard actions.count > 1 else { return actions.first }
        let wanted = try await ask("Which way (\(actions.map(\.label).joined(separator: ", ")))? ", false)
        return actions.first { $0.label == wanted } ?? actions.first { $0.rank == .primary } ?? actions.first
    }

    /// The rules are those that a screen applies, by the same function.
    private func value(of field: SignInPrompt.Field) async throws -> Secret? {
        while true {
            let value = Secret(try await ask(field.question, field.kind.isSecret))
            switch field.problem(with: value) {
            case nil: return value.reveal().isEmpty ? nil : value
            case .needed: terminal.show("\(field.label) is needed.")
            case .unfit(let advice): terminal.show(advice ?? "\(field.label) does not fit.")
            }
        }
    }

    private func ask(_ question: String, _ isSecret: Bool) async throws -> String {
        guard let answer = await terminal.ask(question, isSecret) else { throw CancellationError() }
        return answer
    }
}

extension SignInPrompt {
    fileprivate var lines: [String] {
        let lines = [title ?? provider] + [problem.map { "Problem: \($0)" }, message].compactMap(\.self)
        return lines + parts.map(\.line) + actions.map(\.line)
    }
}

extension SignInPrompt.Part {
    fileprivate var line: String {
        switch self {
        case .paragraph(let text): text
        case .link(let text, let url): "\(text): \(url)"
        case .picture(let url, let description): "[\(description ?? "picture")] \(url)"
        case .textToCopy(let text, let label): "\(label ?? "Copy"): \(text.reveal())"
        case .consent(let purpose, let fields):
            "Shares \(fields.joined(separator: ", ")): \(purpose ?? "no purpose is given")"
        }
    }
}

extension SignInPrompt.Action {
    fileprivate var line: String {
        let mark: String =
            switch purpose {
            case .goOn: rank == .primary ? "->" : "  "
            case .otherWay: "<>"
            case .resend: ">>"
            case .passkey: "**"
            }
        return "\(mark) \(label)\(availableAfter.map { " (from \($0.ISO8601Format()))" } ?? "")"
    }
}

extension SignInPrompt.Field {
    fileprivate var question: String {
        var hints = options + [placeholder, problem, autofill?.rawValue].compactMap(\.self)
        switch kind {
        case .boolean: hints.append("true or false")
        case .date: hints.append("year-month-day")
        case .text, .username, .email, .password, .oneTimeCode, .phone, .number, .choice: break
        }
        if isNew { hints.append("a new one") }
        if !isRequired { hints.append("may stay empty") }
        return label + (hints.isEmpty ? ": " : " (\(hints.joined(separator: "; "))): ")
    }
}
