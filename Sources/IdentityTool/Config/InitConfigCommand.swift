import ArgumentParser
import IdentityKit

/// `identity config init`: writes a first configuration with one provider. Only settings that a vendor requires are
/// asked for.
struct InitConfigCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration with one provider.",
        discussion: """
            The configuration is checked before it is written, and an existing file is not replaced. Keep secrets out of it: \
            write ${NAME} for a variable of the environment. For a vendor of "identity providers --known", what it needs is \
            asked for at a terminal. Where nothing else is said, the browser returns to http://127.0.0.1/callback.

            EXAMPLES
              identity config init --type \(ExampleType.standard) \\
                --set issuer=https://id.example.com --set clientID=cli
              identity config init --type github
              identity config init --type \(ExampleType.product) --name home \\
                --set baseURL=https://example.\(ExampleType.product).app
            """)

    @OptionGroup var place: ConfigurationOptions

    @Option(
        help:
            "The provider's type, such as \(ExampleType.otherProduct), \(ExampleType.product), \(ExampleType.standard) or github."
    )
    var type: String

    @OptionGroup var provider: ProviderOptions

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        var settings = provider.members
        if let preset = call.registry.preset(of: type) {
            settings = try await PresetQuestions(preset: preset, call: call, questions: Questions(call))
                .completing(settings)
        }
        let provider = ProviderConfiguration(
            name: provider.name ?? type, type: type,
            settings: .object(ProviderOptions.completed(settings, type: type, in: call)))
        let file = try ConfigurationFile.create(with: provider, for: place, in: call)
        try terminal.line(file.path)
        terminal.note(call.place.completing("Now run: identity login"))
    }
}
