import IdentityKit

/// Asks for the settings that a vendor's preset requires from the configuration.
struct PresetQuestions {
    let preset: ProviderPreset
    let call: ToolCall
    let questions: Questions

    /// Returns `settings` with the missing settings added: from a person's answers, or from the defaults if there is no
    /// terminal.
    /// - Throws: ``MissingSettingsError`` if there is neither a terminal nor a default, ``TerminalPromptError``, or
    ///   `CancellationError`.
    func completing(_ settings: [String: JSONValue]) async throws -> [String: JSONValue] {
        let missing = questions(about: settings)
        guard !missing.isEmpty else { return settings }
        var settings = settings
        guard questions.isPossible else {
            let names = missing.filter { $0.standard == nil }.map(\.name)
            guard names.isEmpty else { throw MissingSettingsError(subject: preset.name, names: names) }
            return missing.reduce(settings) { $1.answered($1.standard ?? "", in: $0) }
        }
        call.print(prose: "\(preset.name), see \(preset.page.absoluteString)")
        for question in missing {
            settings = question.answered(try await questions.answer(to: question), in: settings)
        }
        return settings
    }

    private func questions(about settings: [String: JSONValue]) -> [Question] {
        let parameters = preset.parameters.filter { $0.default == nil && settings[$0.name] == nil }.map {
            Question(name: $0.name, meaning: "\($0.meaning.withoutFinalPeriod), such as \($0.example)")
        }
        let needs = call.registry.base(of: preset.type)?.questions(for: preset, beside: settings) ?? []
        return parameters + needs.filter { $0.isOpen(beside: settings) }.map(Question.init)
    }
}

/// Required settings of a provider are missing, and there is nobody to ask.
struct MissingSettingsError: IdentityFailure {
    /// The vendor or the provider type that requires the settings.
    let subject: String
    let names: [String]

    let failureCode = "settings_missing"
    let failureClass = FailureClass.definitive
    var message: String {
        "\(subject) needs \(names.joined(separator: ", ")). Add \(options), or run the command at a terminal."
    }

    private var options: String { names.map { "--set \($0)=…" }.joined(separator: " ") }
}

/// An argument of the command line is missing, and there is nobody to ask.
struct MissingArgumentError: IdentityFailure {
    let message: String

    let failureCode = "argument_missing"
    let failureClass = FailureClass.definitive
}
