#if Tools
import Foundation
import IdentityKit

/// Asks the person at the terminal for what a sign-in step needs.
///
/// Questions go to standard error, so that standard output carries the result alone.
struct TerminalPrompter: FlowPrompter {
    let terminal: Terminal
    let keyboard: Keyboard
    /// Answers that came with the command, by the kind of the field.
    var given: [SignInPrompt.Field.Kind: Secret] = [:]

    func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        let usesGiven = prompt.fields.contains { given[$0.kind] != nil }
        // The same answer would be wrong again.
        if let problem = prompt.problem, usesGiven { throw SignInRefused(message: problem) }
        if let problem = prompt.problem { terminal.note(terminal.noteStyled(problem, .bad)) }
        if let message = prompt.message { terminal.note(message) }
        guard !prompt.fields.isEmpty else {
            return PromptAnswer(values: [:], action: try await chooseAction(of: prompt))
        }
        let offersOthers = prompt.actions.count > 1 && !usesGiven && keyboard.isInteractive
        if offersOthers { terminal.note(terminal.noteStyled(otherWays(of: prompt), .faint)) }
        var values: [String: Secret] = [:]
        for field in prompt.fields {
            let value = try await value(of: field)
            if offersOthers, let other = otherAction(value, in: prompt), !field.kind.isSecret {
                return PromptAnswer(values: [:], action: other)
            }
            values[field.identifier] = value
        }
        return PromptAnswer(values: values, action: prompt.actions.first?.identifier)
    }

    // MARK: Fields

    private func value(of field: SignInPrompt.Field) async throws -> Secret {
        if let value = given[field.kind] { return value }
        if let problem = field.problem { terminal.note(terminal.noteStyled("\(field.label): \(problem)", .bad)) }
        while true {
            let line = try await keyboard.line(echo: !field.kind.isSecret) {
                if keyboard.isInteractive { ask(field) }
            }
            if let value = accepted(line, for: field) { return Secret(value) }
            // A script that pipes its answers would go on for ever.
            guard keyboard.isInteractive else {
                throw SignInRefused(message: "\"\(field.label)\" needs another answer than the one that was given.")
            }
            terminal.note("Please answer with \(expectation(of: field)).")
        }
    }

    private func ask(_ field: SignInPrompt.Field) {
        for (index, option) in field.options.enumerated() { terminal.note("  \(index + 1)  \(option)") }
        terminal.ask("\(field.label)\(field.isRequired ? "" : " (optional)"): ")
    }

    private func accepted(_ line: String, for field: SignInPrompt.Field) -> String? {
        if line.isEmpty { return field.isRequired ? nil : "" }
        if !field.options.isEmpty { return choice(line, of: field.options) }
        guard field.kind == .boolean else { return line }
        switch line.lowercased() {
        case "y", "yes", "true": return "true"
        case "n", "no", "false": return "false"
        default: return nil
        }
    }

    /// An option by its number or by its own text.
    private func choice(_ line: String, of options: [String]) -> String? {
        if options.contains(line) { return line }
        guard let number = Int(line), options.indices.contains(number - 1) else { return nil }
        return options[number - 1]
    }

    private func expectation(of field: SignInPrompt.Field) -> String {
        if !field.options.isEmpty { return "a number from 1 to \(field.options.count)" }
        return field.kind == .boolean ? "yes or no" : "some text"
    }

    // MARK: Actions

    /// Filling in the fields is the usual way; the others are one answer away.
    private func otherWays(of prompt: SignInPrompt) -> String {
        let others = prompt.actions.enumerated().dropFirst().map { "/\($0.offset + 1) for \"\($0.element.label)\"" }
        return "Or type \(others.joined(separator: ", "))."
    }

    private func otherAction(_ answer: Secret, in prompt: SignInPrompt) -> String? {
        let text = answer.reveal()
        guard text.hasPrefix("/"), let number = Int(text.dropFirst()), number > 1,
            prompt.actions.indices.contains(number - 1)
        else { return nil }
        return prompt.actions[number - 1].identifier
    }

    private func chooseAction(of prompt: SignInPrompt) async throws -> String? {
        guard prompt.actions.count > 1, keyboard.isInteractive else { return prompt.actions.first?.identifier }
        while true {
            for (index, action) in prompt.actions.enumerated() { terminal.note("  \(index + 1)  \(action.label)") }
            terminal.ask("Choose [1]: ")
            let line = try await keyboard.line(echo: true)
            if line.isEmpty { return prompt.actions.first?.identifier }
            if let number = Int(line), prompt.actions.indices.contains(number - 1) {
                return prompt.actions[number - 1].identifier
            }
        }
    }
}
#endif
