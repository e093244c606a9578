import ArgumentParser
import Foundation
import IdentityKit
import IdentityTerminal

/// `identity config`: groups the commands for configuration files.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check a configuration, write a first one, or print the JSON Schema.",
        subcommands: [CheckConfigCommand.self, InitConfigCommand.self, ConfigSchemaCommand.self])
}

/// `identity config schema`: prints the JSON Schema of configuration files, which editors use for completion and
/// checks.
struct ConfigSchemaCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of configuration files.")

    func run(in call: ToolCall) async throws {
        try call.terminal.json(call.registry.schema)
    }
}

/// `identity config check`: checks the given profile of a configuration file, or else all profiles, without a request.
struct CheckConfigCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration file and print what it means.",
        discussion: """
            Every profile is read as by an app, with the variables of this environment, and its store and providers are \
            checked as at a start. The first mistake of each is printed with its key path. No request is sent, nothing is \
            written, and no secret is printed.

            EXAMPLES
              identity config check identity.json
              identity config check identity.json --profile production

            EXIT STATUS
              0    the file can be used
              78   it is missing or has mistakes
            """)

    @Argument(help: "The file. By default the one that the other commands use.")
    var file: String?

    @Option(help: "Check this profile only.")
    var profile: String?

    @Flag(help: "Accept unknown provider types, without checking their settings.")
    var allowUnknownTypes = false

    func validate() { ToolCall.parsing?.place.remember(file: file, profile: profile) }

    func run(in call: ToolCall) async throws {
        let terminal = call.terminal
        var hasMistakes = false
        var options = ConfigurationOptions()
        options.file = file
        let file = try ConfigurationFile(options, in: call).url
        func report(_ error: any Error) throws {
            hasMistakes = true
            try terminal.line(terminal.styled("✘ \(error.identityMessage.visible)", .bad))
        }
        for profile in try profiles(of: file, terminal) {
            do {
                try check(profile, of: file, in: call)
            } catch let error as any IdentityFailure {
                try report(error)
            }
        }
        if profile == nil {
            // Also check the choice of a profile. Even if each profile is valid, the file and the variables may not say which
            // one to use, or may name a profile that does not exist.
            do {
                _ = try IdentityConfiguration(contentsOf: file, variables: call.variables)
            } catch let error as ConfigurationError where error.isAboutChoice {
                try report(error)
            }
        }
        if hasMistakes { throw ExitStatus.configuration.code }
    }

    private func profiles(of file: URL, _ terminal: Terminal) throws -> [String] {
        if let profile { return [profile] }
        do {
            return try IdentityConfiguration.profiles(in: IdentityConfiguration.content(of: file))
        } catch {
            let mistake =
                error as? ConfigurationError
                ?? .fileUnreadable(path: file.path, detail: error.localizedDescription)
            try terminal.line(
                terminal.styled("✘ \(ConfigurationCheckError(file: file, error: mistake).message)", .bad))
        }
        throw ExitStatus.configuration.code
    }

    private func check(_ profile: String, of file: URL, in call: ToolCall) throws {
        let terminal = call.terminal
        try terminal.line(terminal.styled("profile \(profile.visible)", .bold))
        let configuration = try IdentityConfiguration(contentsOf: file, profile: profile, variables: call.variables)
        for line in configuration.summary(in: call) { try terminal.line("  \(line.visible)") }
        do {
            try call.stores.check(configuration.store, in: call.storeContext)
        } catch {
            throw configuration.locating(error)
        }
        var known = configuration
        if allowUnknownTypes {
            let types = call.registry.types
            // Replace each provider of an unknown type by an anonymous one, in the same place of the order.
            known.providers = known.providers.map {
                types.contains($0.type)
                    ? $0 : ProviderConfiguration(name: $0.name, type: AnonymousPlugin.type, settings: [:])
            }
        }
        try call.check(known)
        try terminal.line(terminal.styled("✔ can be used", .good))
    }
}
