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
        // A script reads no questions; what it cannot answer is in the error.
        if keyboard.isInteractive {
            if let problem = prompt.problem { terminal.note(terminal.noteStyled(problem, .bad)) }
            if let message = prompt.message { terminal.note(message) }
        }
        guard !prompt.fields.isEmpty else {
            // The usual way did not lead on, and without a person nobody chooses another.
            if let problem = prompt.problem, !keyboard.isInteractive { throw SignInRefused(message: problem) }
            return PromptAnswer(values: [:], action: try await chooseAction(of: prompt))
        }
        let offersOthers = prompt.actions.count > 1 && !usesGiven && keyboard.isInteractive
        if offersOthers { showWays(on: prompt) }
        var values: [String: Secret] = [:]
        for field in prompt.fields {
            var value = try await value(of: field, in: prompt)
            // A password may look like anything.
            while offersOthers, field.kind != .password, let way = way(value, on: prompt) {
                if way > 0 { return PromptAnswer(values: [:], action: prompt.actions[way].identifier) }
                value = try await self.value(of: field, in: prompt)
            }
            values[field.identifier] = value
        }
        return PromptAnswer(values: values, action: prompt.actions.first?.identifier)
    }

    // MARK: Fields

    /// - Throws: ``SignInRefused`` where a script has no answer to what went wrong before, such as a code from a mail.
    private func value(of field: SignInPrompt.Field, in prompt: SignInPrompt) async throws -> Secret {
        do {
            return try await value(of: field)
        } catch is InputEnded {
            let reason = prompt.problem ?? (field.kind == .oneTimeCode ? prompt.message : nil)
            guard let reason else { throw InputEnded() }
            throw SignInRefused(message: reason)
        }
    }

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

    /// The ways on from a step with fields, each under its number. Filling in the fields is the first.
    private func showWays(on prompt: SignInPrompt) {
        for (index, action) in prompt.actions.enumerated() { terminal.note("  /\(index + 1)  \(action.label)") }
        terminal.note(terminal.noteStyled("Answer for /1, or type the number of another way, with its slash.", .faint))
    }

    /// The index of the way whose number was typed in the place of an answer.
    private func way(_ answer: Secret, on prompt: SignInPrompt) -> Int? {
        let text = answer.reveal()
        guard text.hasPrefix("/"), let number = Int(text.dropFirst()), prompt.actions.indices.contains(number - 1)
        else { return nil }
        return number - 1
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
