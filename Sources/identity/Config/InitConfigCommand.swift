import ArgumentParser
import Foundation
import IdentityKit

/// `identity config init`: a configuration to begin with.
struct InitConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration with one provider.",
        discussion: """
            The file is checked before it is written, and an existing one is not replaced. Secrets are better kept out of
            it: write ${NAME} for a variable of the environment.

            EXAMPLES
              identity config init --type openid-connect --set issuer=https://id.example.com --set clientID=cli \\
                --set redirectURI=http://127.0.0.1/callback
              identity config init --type insforge --name home --set baseURL=https://example.insforge.app
            """)

    @OptionGroup var place: ConfigurationOptions

    @Option(help: "The provider's type, such as thunderid, insforge or openid-connect.")
    var type: String

    @Option(help: "The provider's name, which its accounts belong to. By default its type.")
    var name: String?

    @Option(name: .customLong("set"), help: "A setting of the provider, as name=value. May be repeated.")
    var settings: [String] = []

    func validate() throws {
        for setting in settings where !setting.dropFirst().contains("=") {
            throw ValidationError("\"\(setting)\" is no setting. Write it as name=value.")
        }
    }

    func run() async throws {
        let variables = ProcessInfo.processInfo.environment
        guard let file = try ConfigurationFile.candidates(place, variables: variables).first else { return }
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw ConfigurationExists(path: file.path)
        }
        let configuration = IdentityConfiguration(
            store: .file(folder: ConfigurationFile.stateFolder(variables).path),
            providers: [ProviderConfiguration(name: name ?? type, type: type, settings: .object(members))])
        _ = try ToolSession.registry.makeChain(
            for: configuration, environment: IdentityEnvironment(store: MemoryTokenStore()))
        // Somebody else may have written one in the meantime.
        guard try PrivateDocument.create(try configuration.document, at: file.path) else {
            throw ConfigurationExists(path: file.path)
        }
        let terminal = Terminal()
        try terminal.line(file.path)
        terminal.note("Now run: identity login")
    }

    /// `true`, `false` and lists in brackets are what they look like; everything else is a text.
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

/// There is a configuration already.
struct ConfigurationExists: IdentityFailure {
    let path: String
    let failureCode = "configuration_exists"
    let failureClass = FailureClass.definitive
    var message: String { "\(path) exists already. Change that file, or write another one with --config." }
}
