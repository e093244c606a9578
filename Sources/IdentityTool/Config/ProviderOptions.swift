import ArgumentParser
import Foundation
import IdentityKit

/// Options of commands that add a provider to a configuration.
struct ProviderOptions: ParsableArguments {
    @Option(help: "The provider's name, the realm of its accounts. The default is its type.")
    var name: String?

    @Option(name: .customLong("set"), help: "A setting of the provider, as name=value. May be repeated.")
    var settings: [String] = []

    func validate() throws {
        for setting in settings where !setting.dropFirst().contains("=") {
            throw ValidationError("\"\(setting)\" is not a setting. Write it as name=value.")
        }
    }

    /// The settings from the command line. If a name is repeated, its last setting counts. `true`, `false`, `null`, and
    /// valid lists and objects are read as JSON. All other values are strings.
    var members: [String: JSONValue] {
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

    /// Returns `settings` with the defaults of `type` for use at a terminal, such as a redirect URI. For an unknown
    /// type, `settings` stay unchanged.
    static func completed(_ settings: [String: JSONValue], type: String, in call: ToolCall) -> [String: JSONValue] {
        call.registry.plugin(of: type)?.setup.completedForTerminal(settings) ?? settings
    }
}
