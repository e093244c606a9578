import ArgumentParser
import Foundation
import IdentityKit
import KnownProviders
import OAuth2
import OpenIDConnect

/// `identity config init`: writes a first configuration.
struct InitConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration with one provider.",
        discussion: """
            The configuration is checked before it is written, and an existing file is not replaced. Keep secrets out of it:
            write ${NAME} for a variable of the environment. For a vendor of "identity providers --known", what it needs is
            asked for at a terminal. Where nothing else is said, the browser returns to http://127.0.0.1/callback.

            EXAMPLES
              identity config init --type openid-connect \\
                --set issuer=https://id.example.com --set clientID=cli
              identity config init --type github
              identity config init --type insforge --name home \\
                --set baseURL=https://example.insforge.app
            """)

    @OptionGroup var place: ConfigurationOptions

    @Option(help: "The provider's type, such as thunderid, insforge, openid-connect or github.")
    var type: String

    @Option(help: "The provider's name, the realm of its accounts. The default is its type.")
    var name: String?

    @Option(name: .customLong("set"), help: "A setting of the provider, as name=value. May be repeated.")
    var settings: [String] = []

    func validate() throws {
        for setting in settings where !setting.dropFirst().contains("=") {
            throw ValidationError("\"\(setting)\" is not a setting. Write it as name=value.")
        }
    }

    func run() async throws {
        let terminal = Terminal()
        var settings = members
        if let preset = KnownProviders.presets.first(where: { $0.type == type }) {
            settings = try await PresetQuestions(preset: preset, terminal: terminal).completing(settings)
        }
        if [OpenIDConnectPlugin.type, OAuth2Plugin.type].contains(type), settings["redirectURI"] == nil,
            settings["signIn"] != "device"
        {
            settings["redirectURI"] = .string(PresetQuestions.redirectURI)
        }
        let provider = ProviderConfiguration(name: name ?? type, type: type, settings: .object(settings))
        guard let file = try ConfigurationFile.create(with: provider, for: place) else { return }
        try terminal.line(file.path)
        terminal.note("Now run: identity login")
    }

    /// `true`, `false`, `null`, lists and objects are read as JSON, and everything else as a text.
    private var members: [String: JSONValue] {
        let pairs = settings.map { setting -> (String, JSONValue) in
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[1] {
            case "true": return (parts[0], true)
            case "false": return (parts[0], false)
            case "null": return (parts[0], .null)
            case let text where text.hasPrefix("[") || text.hasPrefix("{"):
                return (parts[0], (try? JSONValue(parsing: Data(text.utf8))) ?? .string(text))
            case let text: return (parts[0], .string(text))
            }
        }
        return Dictionary(pairs, uniquingKeysWith: { _, last in last })
    }
}
