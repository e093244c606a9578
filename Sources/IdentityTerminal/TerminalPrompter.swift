import IdentityKit

/// Asks the person at the terminal for the values of a sign-in step, and for the action to take.
///
/// Questions go to standard error. Answers come from standard input, one per line. The terminal does not show passwords
/// and one-time codes while they are typed, even after Ctrl-Z and `fg`. Ctrl-C and Ctrl-\ switch the terminal's echo on
/// again. When standard input is no terminal, as in a script, its lines are the answers, in order. If the server
/// repeats a step because it refused an answer, the next lines answer that step. The sign-in fails when the lines run
/// out, or when a line is no possible value of its field.
public struct TerminalPrompter: FlowPrompter {
    private let terminal: Terminal
    private let keyboard: Keyboard
    /// Answers that the app has given, by the kind of the field. The person is not asked for them.
    private let given: [SignInPrompt.Field.Kind: Secret]

    /// Creates a prompter for the program's terminal.
    /// - Parameter given: answers that are known already, by the kind of the field, such as a user name from the command
    ///   line. When the server refuses a step with such an answer, the sign-in fails.
    public init(given: [SignInPrompt.Field.Kind: Secret] = [:]) {
        self.init(terminal: Terminal(), keyboard: Keyboard(guarding: .everything), given: given)
    }

    package init(terminal: Terminal, keyboard: Keyboard, given: [SignInPrompt.Field.Kind: Secret]) {
        self.terminal = terminal
        self.keyboard = keyboard
        self.given = given
    }

    /// Asks for the values of a step's fields, and for the action to take if there are several.
    /// - Throws: ``TerminalPromptError``, or `CancellationError` when the task is cancelled.
    public func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        let usesGiven = prompt.fields.contains { given[$0.kind] != nil }
        // If the server refused an answer from `given`, asking again would only send the same answer.
        if let problem = prompt.problem, usesGiven { throw TerminalPromptError.refused(problem) }
        if keyboard.isInteractive {
            if let problem = prompt.problem { terminal.note(terminal.noteStyled(problem, .bad)) }
            show(prompt)
        }
        guard let first = prompt.fields.first else {
            // A script cannot choose another action after the first has failed.
            if let problem = prompt.problem, !keyboard.isInteractive { throw TerminalPromptError.refused(problem) }
            return PromptAnswer(values: [:], action: try await chooseAction(of: prompt))
        }
        var offersOthers = prompt.actions.count > 1 && !usesGiven && keyboard.isInteractive
        if offersOthers {
            if first.canNameAction || first.canAskForActions {
                showActions(of: prompt)
            } else {
                let action = try await chooseAction(of: prompt)
                if action != prompt.actions.first?.identifier { return PromptAnswer(values: [:], action: action) }
                offersOthers = false
            }
        }
        var values: [String: Secret] = [:]
        for field in prompt.fields {
            let mayAsk = offersOthers && values.isEmpty && field.canAskForActions
            var value = try await value(of: field, in: prompt, mayBeEmpty: mayAsk)
            if mayAsk || (offersOthers && field.canNameAction),
                let index = try await index(value, of: prompt, in: field)
            {
                if index > 0 { return PromptAnswer(values: [:], action: prompt.actions[index].identifier) }
                // The person has chosen the first action, which is to answer the fields. From now on, a typed number is a
                // value, not the choice of an action.
                offersOthers = false
                value = try await self.value(of: field, in: prompt)
            }
            values[field.identifier] = value
        }
        return PromptAnswer(values: values, action: prompt.actions.first?.identifier)
    }

    /// Asks for the value of a field.
    /// - Throws: ``TerminalPromptError``, or `CancellationError` when the task is cancelled. When the input ends, the
    ///   error is ``TerminalPromptError/refused(_:)`` if the step has a problem, or if the field is for a one-time code
    ///   and the step has a message. Otherwise it is ``TerminalPromptError/inputEnded``.
    private func value(
        of field: SignInPrompt.Field, in prompt: SignInPrompt, mayBeEmpty: Bool = false
    ) async throws -> Secret {
        do {
            return try await value(of: field, mayBeEmpty: mayBeEmpty)
        } catch TerminalPromptError.inputEnded {
            let reason = prompt.problem ?? (field.kind == .oneTimeCode ? prompt.message : nil)
            guard let reason else { throw TerminalPromptError.inputEnded }
            throw TerminalPromptError.refused(reason)
        }
    }

    private func value(of field: SignInPrompt.Field, mayBeEmpty: Bool) async throws -> Secret {
        if let value = given[field.kind] { return value }
        if let problem = field.problem { terminal.note(terminal.noteStyled("\(field.label): \(problem)", .bad)) }
        while true {
            let line = try await keyboard.line(echo: !field.kind.isSecret) {
                if keyboard.isInteractive { ask(field) }
            } ended: {
                terminal.note("")
            }
            if mayBeEmpty, line.isEmpty { return "" }
            if let value = accepted(line, for: field) { return Secret(value) }
            // A script cannot correct its answer.
            guard keyboard.isInteractive else {
                throw TerminalPromptError.refused("The answer for \"\(field.label)\" is not acceptable.")
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

    /// Finds an option by its text, or by its number counted from 1; `nil` when `line` is neither.
    private func choice(_ line: String, of options: [String]) -> String? {
        if options.contains(line) { return line }
        guard let number = Int(line), options.indices.contains(number - 1) else { return nil }
        return options[number - 1]
    }

    private func expectation(of field: SignInPrompt.Field) -> String {
        if !field.options.isEmpty { return "a number from 1 to \(field.options.count)" }
        return field.kind == .boolean ? "yes or no" : "some text"
    }

    /// Shows the title, the message, the paragraphs, the links and the texts to copy of a step.
    private func show(_ prompt: SignInPrompt) {
        for text in [prompt.title, prompt.message].compactMap(\.self) { terminal.note(text) }
        for part in prompt.parts {
            switch part {
            case .paragraph(let text): terminal.note(text)
            case .link(let text, let url): terminal.note("\(text): \(url.absoluteString)")
            case .textToCopy(let text, let label):
                terminal.note(label.map { "\($0): \(text.reveal())" } ?? text.reveal())
            case .picture, .consent: break
            }
        }
    }

    /// Shows the numbered actions of a step with fields. The first action is to answer the fields.
    private func showActions(of prompt: SignInPrompt) {
        for (index, action) in prompt.actions.enumerated() { terminal.note("  \(index + 1)  \(action.label)") }
        let way =
            prompt.fields.first?.canNameAction == true ? "type the number of another choice" : "press Return to choose"
        terminal.note(terminal.noteStyled("Answer for 1, or \(way).", .faint))
    }

    /// Returns the index of the action that the person chose instead of a value for `field`; `nil` if `answer` is a value.
    /// Asks for the action when `field` is a password and `answer` is empty.
    private func index(
        _ answer: Secret, of prompt: SignInPrompt, in field: SignInPrompt.Field
    ) async throws -> Int? {
        guard field.canNameAction else {
            guard answer.isEmpty else { return nil }
            let chosen = try await chooseAction(of: prompt)
            return prompt.actions.firstIndex { $0.identifier == chosen }
        }
        return Int(answer.reveal()).flatMap { prompt.actions.indices.contains($0 - 1) ? $0 - 1 : nil }
    }

    private func chooseAction(of prompt: SignInPrompt) async throws -> String? {
        guard prompt.actions.count > 1, keyboard.isInteractive else { return prompt.actions.first?.identifier }
        while true {
            for (index, action) in prompt.actions.enumerated() { terminal.note("  \(index + 1)  \(action.label)") }
            terminal.ask("Choose [1]: ")
            let line = try await keyboard.line(echo: true, ended: { terminal.note("") })
            if line.isEmpty { return prompt.actions.first?.identifier }
            if let number = Int(line), prompt.actions.indices.contains(number - 1) {
                return prompt.actions[number - 1].identifier
            }
        }
    }
}

extension SignInPrompt.Field {
    /// Whether an empty answer shows the actions. `true` only for a required password. A number cannot choose an action
    /// there, because the number could be the password itself, whereas an empty answer cannot be the password.
    fileprivate var canAskForActions: Bool { kind == .password && isRequired }

    /// Whether the person can choose an action by typing its number instead of the value. `false` for passwords, numbers,
    /// switches and fields with options.
    fileprivate var canNameAction: Bool {
        switch kind {
        case .text, .username, .email, .oneTimeCode, .phone, .date: options.isEmpty
        case .password, .number, .boolean, .choice: false
        }
    }
}
