import ArgumentParser
import Foundation
import IdentityKit

/// `identity config`: configuration files.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check a configuration, write one to begin with, or print the JSON Schema.",
        subcommands: [CheckConfigCommand.self, InitConfigCommand.self, ConfigSchemaCommand.self])
}

/// `identity config schema`: for an editor.
struct ConfigSchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of configuration files.")

    func run() async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try Terminal().line(String(decoding: try encoder.encode(ToolSession.registry.schema), as: UTF8.self))
    }
}

/// `identity config check`: what the framework understands.
struct CheckConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read a configuration file and print what was understood.",
        discussion: """
            Every profile is read as an app would, with the variables of this environment. The first mistake of each is
            told with its key path. Nothing is requested from any server, and no secret is printed.

            EXAMPLES
              identity config check identity.json
              identity config check identity.json --profile production

            EXIT STATUS
              0   the file can be used
              1   it has mistakes
            """)

    @Argument(help: "The file, JSON or property list.")
    var file: String

    @Option(help: "Check this profile only.")
    var profile: String?

    @Flag(help: "Accept provider types this tool does not know, without checking their settings.")
    var allowUnknownTypes = false

    func run() async throws {
        let terminal = Terminal()
        var hasMistakes = false
        for profile in try profiles(terminal) {
            do {
                try check(profile, terminal)
            } catch let error as any IdentityFailure {
                hasMistakes = true
                try terminal.line(terminal.styled("✘ \(error.message)", .bad))
            }
        }
        if hasMistakes { throw ExitCode.failure }
    }

    private func profiles(_ terminal: Terminal) throws -> [String] {
        if let profile { return [profile] }
        do {
            return try IdentityConfiguration.profiles(in: Data(contentsOf: URL(fileURLWithPath: file)))
        } catch let error as ConfigurationError {
            try terminal.line(terminal.styled("✘ \(error.message)", .bad))
        } catch {
            let missing = ConfigurationError.fileMissing(path: file).message
            try terminal.line(terminal.styled("✘ \(missing)", .bad))
        }
        throw ExitCode.failure
    }

    private func check(_ profile: String, _ terminal: Terminal) throws {
        try terminal.line(terminal.styled("profile \(profile)", .bold))
        let configuration = try IdentityConfiguration(contentsOf: URL(fileURLWithPath: file), profile: profile)
        for line in ConfigurationSummary(configuration).lines { try terminal.line("  \(line)") }
        var known = configuration
        if allowUnknownTypes {
            known.providers.removeAll { !ToolSession.registry.types.contains($0.type) }
        }
        let environment = IdentityEnvironment(store: MemoryTokenStore())
        _ = try ToolSession.registry.makeChain(for: known, environment: environment)
        try terminal.line(terminal.styled("✔ can be used", .good))
    }
}
