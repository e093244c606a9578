import ArgumentParser
import Foundation
import IdentityKit

/// `identity init`: writes a configuration and signs in, with a few questions.
struct InitCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Set up a backend and sign in, step by step.",
        discussion: """
            It asks for the backend, what that needs, and where sessions are kept, at most five questions with those of the \
            sign-in, checks the backend against its server, writes the configuration and signs in. \
            An address is enough for a server that publishes its metadata. Where there is a configuration, the provider is \
            added after the others, and the rest of the file stays as it is. One for the same server can be changed in its \
            place.

            Every answer can be given before: the backend as the argument, the folder for sessions with --store, the rest with \
            --set. Without a terminal, what is missing is an error that names it.

            EXAMPLES
              identity init
              identity init https://id.example.com
              identity init github --name work --set clientID=Iv1.0123
              identity init \(ExampleType.product) --set baseURL=https://example.\(ExampleType.product).app --no-login

            EXIT STATUS
              0    the provider is configured, and signed in unless that was not wanted
              64   an answer is missing and there is nobody to ask
              78   the configuration that exists has mistakes
            """)

    @Argument(help: "The backend: its address, or a type of provider such as \(ExampleType.product) or github.")
    var backend: String?

    @OptionGroup var place: ConfigurationOptions
    @OptionGroup var provider: ProviderOptions

    @Option(help: "The kind of server at the address. By default the server is asked.")
    var type: String?

    @Option(
        help: ArgumentHelp(
            "The folder for sessions, for a configuration that is new. The default is the tool's own folder for state.",
            valueName: "folder"))
    var store: String?

    @Flag(help: "Sign in on another device, with a code.")
    var device = false

    @Flag(help: "Print the address of a sign-in page and open no browser.")
    var noBrowser = false

    @Flag(help: "Write the configuration and do not sign in.")
    var noLogin = false

    @Flag(help: "Send no request: do not check the server, and do not sign in.")
    var offline = false

    func validate() throws {
        if let type, let registry = ToolCall.parsing?.registry, !registry.types.contains(type) {
            let near = BackendChoice.near(type, in: registry).map { " Did you mean \($0)?" } ?? ""
            throw ValidationError("\"\(type)\" is not a type of provider.\(near)")
        }
        if let store { _ = try ArgumentPath.checked(store) }
    }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        var addition = try ConfigurationAddition(place, store: store, in: call)
        call.print(prose: addition.introduction)
        let questions = Questions(call)
        let setup = BackendSetup(
            call: call, type: type, given: provider.members, isOffline: offline,
            transport: place.verbosity.watching(DefaultTransport.make(deadline: call.context.patience), in: call),
            questions: questions)
        var (type, settings) = try await setup.settings(of: backend)
        if device {
            guard let signIn = call.registry.base(of: type)?.setup.settingsForSignIn(.onAnotherDevice) else {
                throw MissingDeviceFlowError(in: call.registry)
            }
            settings.merge(signIn) { $1 }
        }
        try await addition.choosePlace(for: type, settings, named: provider.name, with: questions)
        if addition.asksForStore, questions.isPossible,
            questions.asked.count < Self.mostQuestions - Self.questionsOfSignIn
        {
            try await addition.askForStore(with: questions)
        }
        let (provider, configuration) = try await checked(settings, of: type, addition, setup)
        if !offline { try await examine(provider, of: configuration, in: call) }
        let file = try addition.write(provider)
        try terminal.line(file.path)
        call.print(prose: "Sessions: \(configuration.store.inWords(in: call))")
        guard !offline, !noLogin else {
            return terminal.note(
                call.place.completing("Now run: identity login --provider \(provider.name.quotedForShell)"))
        }
        try await logIn(with: provider.name, file, in: call)
    }

    /// Returns the provider, and the configuration with this provider. Asks again for an invalid answer.
    /// - Throws: ``ConfigurationCheckError`` for a mistake that is not an invalid answer, or what the check or the
    ///   question throws.
    private func checked(
        _ answered: [String: JSONValue], of type: String, _ addition: ConfigurationAddition, _ setup: BackendSetup
    ) async throws -> (provider: ProviderConfiguration, configuration: IdentityConfiguration) {
        var settings = answered
        while true {
            let provider = addition.provider(
                named: provider.name, type, .object(ProviderOptions.completed(settings, type: type, in: setup.call)))
            do {
                return (provider, try addition.check(provider))
            } catch let mistake as ConfigurationCheckError {
                guard let corrected = try await setup.settings(settings, of: type, correcting: mistake) else {
                    throw mistake
                }
                settings = corrected
            }
        }
    }

    /// The number of questions that a setup with its sign-in should not exceed. To stay within it, the question about the
    /// folder for sessions is left out, because that question has a default.
    private static let mostQuestions = 5
    /// The number of questions that a sign-in with name and password asks.
    private static let questionsOfSignIn = 2

    /// Examines the provider's backend and prints the findings.
    /// - Throws: ``BackendNotUsableError`` at the first finding that makes the backend unusable, or
    ///   `CancellationError`.
    private func examine(
        _ provider: ProviderConfiguration, of configuration: IdentityConfiguration, in call: ToolCall
    ) async throws {
        let examination = BackendExamination(provider, of: configuration, again: ".", place.verbosity, in: call)
        for finding in try await call.process.interrupting({ await examination.findings() }) {
            call.print(prose: "\(finding.verdict == .ok ? "✔" : "!") \(finding.subject): \(finding.detail)")
            if let fix = finding.fix { call.print(prose: fix, indent: 4) }
            if finding.verdict == .bad { throw BackendNotUsableError(finding: finding) }
        }
    }

    private func logIn(with name: String, _ file: URL, in call: ToolCall) async throws {
        var words = ["--provider", name]
        if place.file != nil { words += ["--config", file.path] }
        if let profile = place.profile { words += ["--profile", profile] }
        if noBrowser { words.append("--no-browser") }
        if place.verbosity.isOn(in: call) { words.append("--verbose") }
        let login = try LoginCommand.parse(words)
        try await login.run(in: call)
        call.terminal.note(call.place.completing("Now run: identity token"))
    }
}

/// The examination of the backend found a problem, so nothing was written.
struct BackendNotUsableError: IdentityFailure {
    let finding: Finding

    let failureCode = "backend_not_usable"
    var failureClass: FailureClass { finding.failureClass }
    var message: String { "Nothing was written: \(finding.detail.withoutFinalPeriod)." }
}
