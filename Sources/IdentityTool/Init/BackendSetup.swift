import Foundation
import IdentityKit
import IdentityTerminal

/// Determines the backend and its settings from the command line, the server, and the person's answers.
struct BackendSetup {
    let call: ToolCall
    let type: String?
    let given: [String: JSONValue]
    let isOffline: Bool
    let transport: any HTTPTransport
    let questions: Questions

    private var terminal: Terminal { call.terminal }

    /// Returns the type and the settings of the provider, after questions about missing settings.
    /// - Parameter backend: the backend's address or type; `nil` to ask for it.
    /// - Throws: ``MissingArgumentError``, ``MissingSettingsError``, ``BackendNotNamedError``,
    ///   ``BackendNotRecognizedError``, ``TerminalPromptError``, `CancellationError`, or the transport's error.
    func settings(of backend: String?) async throws -> (type: String, settings: [String: JSONValue]) {
        let found = try await found(backend)
        if let preset = call.registry.preset(of: found.type) {
            return (
                found.type,
                try await PresetQuestions(preset: preset, call: call, questions: questions).completing(
                    found.settings)
            )
        }
        let questions = found.questions ?? call.registry.plugin(of: found.type)?.setup.questions ?? []
        let open = questions.filter { $0.isOpen(beside: found.settings) }
        return (found.type, try await answered(open.map(Question.init), beside: found))
    }

    /// Asks again for the setting that `mistake` is about, and returns `settings` with the new answer.
    /// - Returns: `nil` unless `mistake` is an invalid value of a setting that was asked for.
    /// - Throws: ``TerminalPromptError``, or `CancellationError`.
    func settings(
        _ settings: [String: JSONValue], of type: String, correcting mistake: ConfigurationCheckError
    ) async throws -> [String: JSONValue]? {
        guard case .invalidValue(let keyPath, let reason)? = (mistake.error as? ConfigurationError)?.mistake,
            let question = questions.asked.last(where: { keyPath.hasSuffix(".settings.\($0.name)") })
        else { return nil }
        call.print(prose: reason)
        let answer = try await questions.answer(to: question)
        return question.answered(answer, in: settings)
    }

    private func found(_ backend: String?) async throws -> DetectedBackend {
        if let backend { return try await resolved(try BackendChoice(typed: backend, in: call.registry)) }
        if let type { return try await resolved(.type(type)) }
        guard questions.isPossible else {
            throw MissingArgumentError(
                message:
                    "The argument <backend> is missing. Name an address or a type, such as \(ExampleType.product) or github, or run "
                    + "the command at a terminal.")
        }
        call.print(prose: "Where do people sign in? Type")
        for line in BackendChoice.help(in: call.registry) { call.print(prose: line, indent: 2) }
        while true {
            do {
                let answer = try await questions.answer(to: Question(name: "backend", meaning: "Backend"))
                return try await resolved(try BackendChoice(typed: answer, in: call.registry))
            } catch let error as any IdentityFailure {
                if error is TerminalPromptError || error is MissingSettingsError || error is MissingArgumentError {
                    throw error
                }
                call.print(prose: error.message)
            }
        }
    }

    private func resolved(_ choice: BackendChoice) async throws -> DetectedBackend {
        switch choice {
        case .type(let type): return try await named(type)
        case .address(let url):
            if let type, let name = addressSetting(of: type) {
                return using(DetectedBackend(type: type, settings: [name: .string(url.absoluteString)]), at: url)
            }
            if let (preset, parameters) = call.registry.preset(at: url) {
                terminal.note("✔ \(url.absoluteString): \(preset.type)")
                let named = parameters.mapValues(JSONValue.string)
                return DetectedBackend(type: preset.type, settings: named.merging(given) { $1 })
            }
            guard !isOffline else {
                throw MissingArgumentError(
                    message: "With --offline nobody asks \(url.absoluteString) what it is. Name its kind with --type.")
            }
            let detection = BackendDetection(address: url, transport: transport, plugins: call.registry.plugins)
            let found = try await call.process.interrupting { try await detection.backend() }
            terminal.note("✔ \(url.absoluteString): \(found.type)")
            return using(found, at: url)
        }
    }

    /// Returns the backend of a type. If the type has a setting for an address, the address comes from the given settings, or
    /// else from the person.
    /// - Throws: ``MissingSettingsError`` for a missing address without a terminal, ``TerminalPromptError``, or
    ///   `CancellationError`.
    private func named(_ type: String) async throws -> DetectedBackend {
        guard let name = addressSetting(of: type) else { return DetectedBackend(type: type, settings: given) }
        if let address = given[name]?.stringValue {
            guard let url = URL(typed: address) else { return DetectedBackend(type: type, settings: given) }
            return using(DetectedBackend(type: type, settings: given), at: url)
        }
        guard questions.isPossible else { throw MissingSettingsError(subject: type, names: [name]) }
        while true {
            let answer = try await questions.answer(to: Question(name: name, meaning: "The server's address."))
            guard case .address(let url)? = try? BackendChoice(typed: answer, in: call.registry) else {
                call.print(prose: "\"\(answer)\" is not an address.")
                continue
            }
            return using(DetectedBackend(type: type, settings: [name: .string(url.absoluteString)]), at: url)
        }
    }

    private func addressSetting(of type: String) -> String? { call.registry.plugin(of: type)?.setup.addressSetting }

    /// Returns the backend with the settings from the command line, which take precedence over detected settings.
    private func using(_ found: DetectedBackend, at address: URL) -> DetectedBackend {
        var found = found
        found.settings.merge(given) { $1 }
        // Allow http for the address that the person named. The setting has an effect only for a server on this
        // machine, which needs no TLS (RFC 8252 section 8.3).
        let key = "allowsLoopbackHTTP"
        if address.scheme?.lowercased() == "http", found.settings[key] == nil,
            call.registry.reference(of: found.type)?.settings.contains(where: { $0.keyPath == key }) == true
        {
            found.settings[key] = true
        }
        return found
    }

    private func answered(
        _ open: [Question], beside found: DetectedBackend
    ) async throws -> [String: JSONValue] {
        var settings = found.settings
        for question in open {
            if let standard = question.standard, !questions.isPossible {
                settings = question.answered(standard, in: settings)
                continue
            }
            guard questions.isPossible else {
                throw MissingSettingsError(subject: found.type, names: open.filter { $0.standard == nil }.map(\.name))
            }
            let answer = try await questions.answer(to: question)
            settings = question.answered(answer, in: settings)
        }
        return settings
    }
}
