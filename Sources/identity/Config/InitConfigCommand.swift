import ArgumentParser
import Foundation
import IdentityKit

/// `identity config init`: writes a first configuration.
struct InitConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration with one provider.",
        discussion: """
            The configuration is checked before it is written, and an existing file is not replaced. Keep secrets out of it:
            write ${NAME} for a variable of the environment.

            EXAMPLES
              identity config init --type openid-connect --set issuer=https://id.example.com --set clientID=cli \\
                --set redirectURI=http://127.0.0.1/callback
              identity config init --type insforge --name home --set baseURL=https://example.insforge.app
            """)

    @OptionGroup var place: ConfigurationOptions

    @Option(help: "The provider's type, such as thunderid, insforge or openid-connect.")
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
        let provider = ProviderConfiguration(name: name ?? type, type: type, settings: .object(members))
        guard let file = try ConfigurationFile.create(with: provider, for: place) else { return }
        let terminal = Terminal()
        try terminal.line(file.path)
        terminal.note("Now run: identity login")
    }

    /// `true`, `false`, lists and objects are read as JSON, and everything else as a text.
    private var members: [String: JSONValue] {
        let pairs = settings.map { setting -> (String, JSONValue) in
            let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[1] {
            case "true": return (parts[0], true)
            case "false": return (parts[0], false)
            case let text where text.hasPrefix("[") || text.hasPrefix("{"):
                return (parts[0], (try? JSONValue(parsing: Data(text.utf8))) ?? .string(text))
            case let text: return (parts[0], .string(text))
            }
        }
        return Dictionary(pairs, uniquingKeysWith: { _, last in last })
    }
}
