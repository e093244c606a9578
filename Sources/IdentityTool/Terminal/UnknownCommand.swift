import ArgumentParser
import IdentityKit

/// Detects a misspelt command, which the parser would report as an unexpected argument.
enum UnknownCommand {
    /// The message about an unknown command in `words`; `nil` if the command exists.
    static func message(for words: [String], of tool: any ParsableCommand.Type) -> String? {
        var subcommands = tool.configuration.subcommands
        var path: [String] = []
        for word in words.first == "help" ? Array(words.dropFirst()) : words {
            guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
            var names: [String] = path.isEmpty ? ["help"] : []
            for command in subcommands { names.append(command.configuration.commandName ?? "") }
            guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
                let near = word.similarName(in: names)
                return "There is no command \"\((path + [word]).joined(separator: " "))\"."
                    + (near.map { " Did you mean \"\((path + [$0]).joined(separator: " "))\"?" } ?? "")
            }
            subcommands = next.configuration.subcommands
            path.append(word)
        }
        return nil
    }
}
