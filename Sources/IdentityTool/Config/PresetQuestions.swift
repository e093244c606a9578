import IdentityKit

/// What a vendor's preset leaves to the configuration: asked for at a terminal, and named in one line elsewhere.
struct PresetQuestions {
    let preset: ProviderPreset
    let call: ToolCall
    let questions: Questions

    /// `settings` with the answers.
    /// - Throws: ``SettingsMissing`` without a terminal, or ``TerminalPromptError``.
    func completing(_ settings: [String: JSONValue]) async throws -> [String: JSONValue] {
        let missing = questions(about: settings)
        guard !missing.isEmpty else { return settings }
        var settings = settings
        guard questions.isPossible else {
            let names = missing.filter { $0.standard == nil }.map(\.name)
            guard names.isEmpty else { throw SettingsMissing(subject: preset.name, names: names) }
            for question in missing { settings[question.name] = question.standard.map(JSONValue.string) }
            return settings
        }
        call.tell(prose: "\(preset.name), see \(preset.page.absoluteString)")
        for question in missing { settings[question.name] = .string(try await questions.answer(to: question)) }
        return settings
    }

    private func questions(about settings: [String: JSONValue]) -> [Question] {
        let parameters = preset.parameters.filter { $0.default == nil }.map {
            Question(name: $0.name, meaning: "\($0.meaning.withoutFinalPeriod), such as \($0.example)")
        }
        return (parameters + needs(beside: settings)).filter { settings[$0.name] == nil }
    }

    /// On another device there is no browser to return, and a client that registers itself has nothing to say about itself.
    private func needs(beside settings: [String: JSONValue]) -> [Question] {
        preset.needs.compactMap { name in
            switch name {
            case "clientID" where settings["registration"] == nil:
                Question(name: name, meaning: "The app's identifier, as \(preset.name) gave it.")
            case "clientSecret" where settings["registration"] == nil && settings["clientAuthentication"] != .null:
                Question(
                    name: name, meaning: "The app's secret, or ${NAME} for a variable that holds it.", isSecret: true)
            case "redirectURI" where settings["signIn"] != "device":
                Question(
                    name: name, meaning: "Where the browser returns, exactly as it is registered.",
                    standard: preset.refusesLoopback ? nil : ProviderOptions.redirectURI)
            case "clientKeyFile":
                Question(name: name, meaning: "The path of the app's private key, as \(preset.name) gave it.")
            case "clientKeyID": Question(name: name, meaning: "The identifier of that key.")
            case "clientSecretIssuer":
                Question(name: name, meaning: "In whose name the app signs its secret: your team.")
            case "clientID", "clientSecret", "redirectURI": nil
            default:
                Question(
                    name: name,
                    meaning: call.registry.descriptions(of: preset.base).first { $0.key == name }?.meaning ?? name)
            }
        }
    }
}

/// Settings that a provider needs were not given, and there is nobody to ask.
struct SettingsMissing: IdentityFailure {
    /// What needs them: a vendor, or a type.
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
struct ArgumentMissing: IdentityFailure {
    let message: String

    let failureCode = "argument_missing"
    let failureClass = FailureClass.definitive
}
