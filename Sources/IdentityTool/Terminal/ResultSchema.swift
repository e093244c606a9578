import ArgumentParser
import IdentityKit

/// A command that prints its result as JSON with `--json`.
protocol JSONResultCommand: ParsableCommand {
    /// Returns the type of the result, or of one line for a command that prints a JSON document in each line.
    /// - Parameter words: the arguments of the tool before `--`.
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type
}

/// The JSON Schema (draft 2020-12) of a command's output with `--json`. Its `required` leaves out optional members.
struct ResultSchema {
    let document: JSONValue

    /// Creates the schema for a command line with `--schema`; `nil` without this option, and for a command without a JSON
    /// result. Call this before the command line is parsed, because the command's required arguments may be left out.
    init?(askedForIn words: [String], of tool: any ParsableCommand.Type, in call: ToolCall) {
        let words = Array(words.prefix { $0 != "--" })
        guard words.contains("--schema") else { return nil }
        var (command, path) = (tool, [tool.configuration.commandName ?? ""])
        for word in words {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == word }
            guard let next else { continue }
            (command, path) = (next, path + [word])
        }
        // `ServeCommand` handles --schema without --json itself, and prints the schema of its users and clients.
        if command == ServeCommand.self, !words.contains("--json") { return nil }
        guard let result = command as? any JSONResultCommand.Type else { return nil }
        document = SettingsDocument.schema(
            ofResult: result.result(for: words, in: call), title: "The result of \(path.joined(separator: " ")) --json")
    }
}
