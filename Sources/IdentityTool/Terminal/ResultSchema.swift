import ArgumentParser
import IdentityKit

/// A command that prints its result as JSON with `--json`.
protocol JSONResultCommand: ParsableCommand {
    /// The form of the result; that of a line, where the command prints one document a line.
    /// - Parameter words: the command line.
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type
}

/// The JSON Schema (draft 2020-12) of what a command prints with `--json`. Members that may be missing are not required.
struct ResultSchema {
    let document: JSONValue

    /// The schema that the command line asks for; `nil` when it asks for none. It is looked for before the command line is
    /// parsed, because a command's required arguments are of no use to its schema.
    init?(askedForIn words: [String], of tool: any ParsableCommand.Type, in call: ToolCall) {
        let words = Array(words.prefix { $0 != "--" })
        guard words.contains("--schema"), words.contains("--json") else { return nil }
        var (command, path) = (tool, [tool.configuration.commandName ?? ""])
        for word in words {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == word }
            guard let next else { continue }
            (command, path) = (next, path + [word])
        }
        guard let result = command as? any JSONResultCommand.Type else { return nil }
        document = SettingsDocument.schema(
            ofResult: result.result(for: words, in: call), title: "The result of \(path.joined(separator: " ")) --json")
    }
}
