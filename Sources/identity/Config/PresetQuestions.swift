import IdentityKit

/// What a vendor's preset leaves to the configuration: asked for at a terminal, and named in one line elsewhere.
struct PresetQuestions {
    let preset: ProviderPreset
    let terminal: Terminal
    let keyboard = Keyboard()

    /// Where the browser returns to a program at a terminal: to this machine, on a free port (RFC 8252 section 7.3).
    static let redirectURI = "http://127.0.0.1/callback"

    /// A setting that is missing.
    private struct Question: Sendable {
        let name: String
        let meaning: String
        /// What an empty answer stands for.
        var standard: String?
        var isSecret = false
    }

    /// `settings` with the answers.
    /// - Throws: ``PresetSettingsMissing`` without a terminal, or ``InputEnded``.
    func completing(_ settings: [String: JSONValue]) async throws -> [String: JSONValue] {
        let questions = questions(about: settings)
        guard !questions.isEmpty else { return settings }
        guard keyboard.isInteractive else {
            throw PresetSettingsMissing(vendor: preset.name, names: questions.map(\.name))
        }
        terminal.note("\(preset.name), see \(preset.page.absoluteString)")
        var settings = settings
        for question in questions { settings[question.name] = .string(try await answer(to: question)) }
        return settings
    }

    private func questions(about settings: [String: JSONValue]) -> [Question] {
        let parameters = preset.parameters.filter { $0.default == nil }.map {
            Question(name: $0.name, meaning: "\($0.meaning) Such as \($0.example)")
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
                    standard: Self.redirectURI)
            case "clientKeyFile":
                Question(name: name, meaning: "The path of the app's private key, as \(preset.name) gave it.")
            case "clientKeyID": Question(name: name, meaning: "The identifier of that key.")
            case "clientSecretIssuer":
                Question(name: name, meaning: "In whose name the app signs its secret: your team.")
            case "clientID", "clientSecret", "redirectURI": nil
            default: Question(name: name, meaning: "A setting that \(preset.name) needs.")
            }
        }
    }

    private func answer(to question: Question) async throws -> String {
        terminal.note(terminal.noteStyled(question.meaning, .faint))
        while true {
            let line = try await StopSignal().interrupting { [keyboard, terminal] in
                try await keyboard.line(echo: !question.isSecret) {
                    terminal.ask("\(question.name)\(question.standard.map { " [\($0)]" } ?? ""): ")
                }
            }
            if let answer = line.isEmpty ? question.standard : line { return answer }
        }
    }
}

/// Settings that a preset needs were not given, and there is nobody to ask.
struct PresetSettingsMissing: IdentityFailure {
    let vendor: String
    let names: [String]

    let failureCode = "preset_settings_missing"
    let failureClass = FailureClass.definitive
    var message: String {
        "\(vendor) needs \(names.joined(separator: ", ")). Give each with --set name=value, or run the command at a terminal."
    }
}
