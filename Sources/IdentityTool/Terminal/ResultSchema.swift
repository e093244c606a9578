import ArgumentParser
import IdentityKit

/// A command that prints its result as JSON with `--json`.
protocol JSONResultCommand: ParsableCommand {
    /// The type of the result, or of one line for a command that prints a document per line.
    /// - Parameter words: the command line.
    static func result(for words: [String], in call: ToolCall) -> any Decodable.Type
}

/// The JSON Schema (draft 2020-12) of a command's output with `--json`. Optional members are not required.
struct ResultSchema {
    let document: JSONValue

    /// The schema that the command line asks for; `nil` if it asks for none. Read before the command line is parsed, so
    /// that the command's required arguments can be left out.
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
