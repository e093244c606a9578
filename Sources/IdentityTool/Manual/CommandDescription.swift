import Foundation

/// A command as the argument parser describes it. The manual page is made from these descriptions.
struct CommandDescription: Decodable {
    let commandName: String
    let abstract: String?
    let discussion: String?
    let arguments: [Argument]?
    let subcommands: [CommandDescription]?

    struct Argument: Decodable {
        let kind: Kind
        let names: [Name]?
        let valueName: String?
        let abstract: String?
        let defaultValue: String?
        let isRepeating: Bool
        let shouldDisplay: Bool

        enum Kind: String, Decodable {
            case positional, option, flag
        }

        /// Whether the parser adds the argument to every command. The manual page does not repeat such an argument for
        /// each command.
        var isForEveryCommand: Bool { names?.contains { ["help", "version"].contains($0.name) } ?? false }

        struct Name: Decodable {
            let kind: String
            let name: String

            var spelling: String { (kind == "long" ? "--" : "-") + name }
        }
    }

    private struct Document: Decodable {
        let command: CommandDescription
    }

    /// Returns the description of the whole tool.
    /// - Throws: `DecodingError` if the parser's format has changed.
    static func tool() throws -> CommandDescription {
        try JSONDecoder().decode(Document.self, from: Data(IdentityCommand._dumpHelp().utf8)).command
    }

    /// Returns the commands that can be run, with the words that name them. Groups of commands and the parser's `help`
    /// command are left out.
    /// - Parameter words: the names of the groups that contain this command.
    func runnable(after words: [String] = []) -> [(words: [String], command: CommandDescription)] {
        let here = words + [commandName]
        let children = (subcommands ?? []).filter { $0.commandName != "help" }
        return children.isEmpty ? [(here, self)] : children.flatMap { $0.runnable(after: here) }
    }

    /// The lines of the discussion before its first heading. An empty line separates paragraphs.
    var paragraphs: [String] { sections.first { $0.heading.isEmpty }?.text ?? [] }

    /// The lines under a heading of the discussion, such as `EXAMPLES`.
    func lines(under heading: String) -> [String] { sections.first { $0.heading == heading }?.text ?? [] }

    /// The sections of the discussion. A line of only capitals and spaces is a heading; the first section has an empty
    /// heading.
    private var sections: [(heading: String, text: [String])] {
        var sections: [(heading: String, text: [String])] = [("", [])]
        for line in (discussion ?? "").components(separatedBy: "\n") {
            if !line.isEmpty, line.allSatisfy({ $0.isUppercase || $0 == " " }) {
                sections.append((line, []))
            } else {
                sections[sections.count - 1].text.append(line)
            }
        }
        return sections
    }
}
