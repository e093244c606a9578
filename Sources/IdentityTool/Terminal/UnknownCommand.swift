import ArgumentParser
import IdentityKit

/// Detects an unknown command, such as a misspelled one. The parser would report it as an unexpected argument.
enum UnknownCommand {
    /// Returns the message about an unknown command, with a similar name if there is one; `nil` if the words before the first
    /// option name a command of the tool.
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
